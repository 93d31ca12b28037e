import type { Change, Plan } from './plan.ts'
import { secretNames } from './variables.ts'

/**
 * Returns the changes of a dry run: the lines to add and to remove. Hides the values of secrets, and all other lines of
 * the files, which may contain secrets as well.
 */
export const diffOf = (changes: readonly Change[]): string =>
  changes
    .map(({ path, before, after }) => {
      const old = new Set(linesOf(before ?? ''))
      const now = linesOf(after)
      const removed = [...old].filter((line) => !now.includes(line)).map((line) => `-${line}`)
      const added = now
        .filter((line) => before === undefined || !old.has(line))
        .map((line) => `+${veiled(line)}`)
      const head = [`--- ${before === undefined ? '/dev/null' : path}`, `+++ ${path}`]
      return [...head, ...removed, ...added].join('\n')
    })
    .join('\n')

const linesOf = (text: string) =>
  text.split(/\r?\n/).slice(0, text === '' || text.endsWith('\n') ? -1 : undefined)

const veiled = (line: string) => {
  const name = secretNames.find((one) => line.includes(`${one}=`) && !line.endsWith('='))
  return name ? line.replace(/=.*$/, '=… (not shown)') : line
}

/** Returns the summary: the changes, the remaining steps, and the result of checking the key. */
export function reportOf(
  { framework, changes, kept, steps, notes, appUrl }: Plan,
  isDryRun: boolean,
  keyFound: string | undefined,
): string {
  const done = changes.map(({ path, before }) => [before === undefined ? 'made' : 'added to', path] as const)
  const rows = [
    ...(isDryRun ? [] : done),
    ...kept.map(({ path, why }) => ['kept', `${path}, which ${why}`] as const),
  ]
  const listed = rows.map(([verb, what]) => `  ${verb.padEnd(9)} ${what}`)
  const left = appUrl ? [...steps, `Start the app, and sign in at ${appUrl}/auth/login`] : steps
  const numbered = left.map((step, i) => `  ${i + 1}. ${step}`)
  const title = `Rolecall in ${framework.title}`
  const said = [...notes, ...(keyFound === undefined ? [] : [keyFound])]
  const noted = said.length > 0 ? ['', ...said] : []
  if (changes.length === 0 && left.length === 0)
    return [`${title}: nothing is missing.`, ...listed, ...noted].join('\n')
  const nothing = isDryRun ? ' Nothing was written.' : ''
  return [
    `${title}.${nothing}`,
    ...listed,
    ...noted,
    ...(numbered.length > 0 ? ['', 'Next steps:', ...numbered] : []),
  ].join('\n')
}
