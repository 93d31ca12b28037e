import { meanings, type Values, type VariableName, variableNames } from './variables.ts'

/** The result of `completeEnv`. */
export interface CompletedEnv {
  readonly text: string
  /** Names that had no value before and have one now. */
  readonly set: readonly VariableName[]
  /** Names of variables without a known value. The file contains an empty line `NAME=` for each. */
  readonly open: readonly VariableName[]
}

/**
 * Completes a file of variables: fills in lines without a value, and adds missing lines. A line that has a value does
 * not change, even if a different value is known.
 *
 * @param before the text of the file
 * @param others the texts of other files that the framework reads. A variable with a value there is left out.
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

/** Returns the values that an app starts with. If several files have a value for a variable, the first file wins. */
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

/** Returns the value of a variable in a file: empty if its line has none, undefined if there is no line. */
function valueIn(file: string, name: VariableName): string | undefined {
  const [, , value] = lineOf(name).exec(file) ?? []
  return value?.replace(/^\s*(?:(["'`])\1\s*)?(?:#.*)?$/, '').trim()
}
