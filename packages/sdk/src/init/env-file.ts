import { meanings, type Values, type VariableName, variableNames } from './variables.ts'

/** What a file of variables becomes. */
export interface CompletedEnv {
  readonly text: string
  /** Names that now have a value, and had none. */
  readonly set: readonly VariableName[]
  /** Names that nobody knows a value of: a line without one is in the file. */
  readonly open: readonly VariableName[]
}

/**
 * Adds what is missing in a file of variables. A line that has a value stays as it is, whatever is known now; one
 * without a value is filled in.
 *
 * @param others files that the framework reads too
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

/** The values that an app starts with, by these files; the first one that has a value for a name decides. */
export const valuesIn = (files: readonly string[]): Values =>
  Object.fromEntries(
    variableNames.flatMap((name) => {
      const line = files.map((file) => valueIn(file, name)).find(Boolean)
      return line ? [[name, unquoted(line)]] : []
    }),
  )

/** Without quotes, or without a comment behind it. */
const unquoted = (line: string): string =>
  /^(["'`])(.*?)\1/.exec(line)?.[2] ?? line.replace(/\s+#.*$/, '').trim()

const lineOf = (name: VariableName) =>
  new RegExp(`^([ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=)([^\\r\\n]*)`, 'm')

/** Empty where the line has no value; undefined where there is no line. */
function valueIn(file: string, name: VariableName): string | undefined {
  const [, , value] = lineOf(name).exec(file) ?? []
  return value?.replace(/^\s*(?:(["'`])\1\s*)?(?:#.*)?$/, '').trim()
}
