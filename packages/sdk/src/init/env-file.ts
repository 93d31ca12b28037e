import { meanings, type Values, type VariableName, variableNames } from './variables.ts'

/** The result of completing a file of variables. */
export interface CompletedEnv {
  readonly text: string
  /** Names that had no value before and have one now. */
  readonly set: readonly VariableName[]
  /** Names with unknown values. The file contains a line without a value for each. */
  readonly open: readonly VariableName[]
}

/**
 * Adds the missing lines to a file of variables. A line with a value does not change, even if another value is known. A
 * line without a value is completed.
 *
 * @param others other files that the framework reads, too
 */
export function completeEnv(before: string, known: Values, others: readonly string[]): CompletedEnv {
  const newline = before.includes('\r\n') ? '\r\n' : '\n'
  const set: VariableName[] = []
  const open: VariableName[] = []
  const added: string[] = []
  let text = before
  for (const name of variableNames) {
    if ([before, ...others].some((file) => valueIn(file, name))) continue
    const value = known[name] ?? ''
    if (value === '') open.push(name)
    else set.push(name)
    if (valueIn(before, name) === undefined) added.push(`# ${meanings[name]}`, `${name}=${value}`)
    else if (value !== '') text = text.replace(lineOf(name), (_, start: string) => `${start}${value}`)
  }
  if (added.length === 0) return { text, set, open }
  const separator = text === '' ? '' : text.endsWith('\n') ? newline : newline + newline
  return { text: `${text}${separator}${added.join(newline)}${newline}`, set, open }
}

/** Returns the values that an app starts with. For each name, the first file with a value decides. */
export const valuesIn = (files: readonly string[]): Values =>
  Object.fromEntries(
    variableNames.flatMap((name) => {
      const line = files.map((file) => valueIn(file, name)).find(Boolean)
      return line ? [[name, unquoted(line)]] : []
    }),
  )

/** Removes the quotes around a value, or the comment after it. */
const unquoted = (line: string): string =>
  /^(["'`])(.*?)\1/.exec(line)?.[2] ?? line.replace(/\s+#.*$/, '').trim()

const lineOf = (name: VariableName) =>
  new RegExp(`^([ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=)([^\\r\\n]*)`, 'm')

/** Returns the value of a line: empty if the line has none, undefined if there is no such line. */
function valueIn(file: string, name: VariableName): string | undefined {
  const [, , value] = lineOf(name).exec(file) ?? []
  return value?.replace(/^\s*(?:(["'`])\1\s*)?(?:#.*)?$/, '').trim()
}
