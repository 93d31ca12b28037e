import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The columns of the first table in docs/reference/compatibility.md, with their titles. */
export const capabilities = {
  signIn: 'Sign-in',
  liveRoles: 'Live roles',
  refresh: 'Refresh',
  kicked: 'Kicked',
  backChannelLogout: 'Back-channel logout',
  signOut: 'Sign-out',
  staleness: 'Stale for',
} as const

/** The columns of the second table: how a program behaves on a bad day. */
export const badDays = {
  restart: 'Service restarted',
  signingKey: 'Signing key replaced',
  clockFast: 'Clock five minutes fast',
  clockSlow: 'Clock five minutes slow',
  receiverDown: 'Logout receiver down for an hour',
} as const

export type BadDay = keyof typeof badDays
type Capability = keyof typeof capabilities | BadDay

/** The observation of a test about one capability of a real program, or about one bad day. */
export interface Observation {
  readonly capability: Capability
  readonly result: string
}

/** A program that a test ran, with all observations of the test. */
export interface CompatibilityRecord {
  readonly program: string
  readonly version: string
  /** The page with the configuration that the test ran, or the sources of the test's site. */
  readonly guide: string
  /** The day of the run. */
  readonly date: string
  readonly test: { readonly file: string; readonly title: string }
  readonly observations: readonly Observation[]
}

const root = fileURLToPath(new URL('..', import.meta.url))
const file = join(root, 'docs/reference/compatibility.json')

/** Returns the committed records of all programs. */
export const readRecords = (): CompatibilityRecord[] => JSON.parse(readFileSync(file, 'utf8'))

/** Replaces the record of a program in a test. Only a run with `COMPATIBILITY=write` does so. */
export function writeRecord(record: CompatibilityRecord): void {
  const keyOf = ({ test, program }: CompatibilityRecord) => `${program} ${test.file}`
  const others = readRecords().filter((one) => keyOf(one) !== keyOf(record))
  const all = [...others, record].toSorted((a, b) => keyOf(a).localeCompare(keyOf(b), 'en'))
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`)
}

/** Lists the records that no test can have written, because the test does not exist or does not name the program. */
export const recordsWithoutRun = (
  records: readonly CompatibilityRecord[],
  sourcesOf: (file: string) => string,
): string[] =>
  records.flatMap(({ program, test }) => {
    const sources = sourcesOf(test.file)
    const missing = [test.title, program].filter((text) => !sources.includes(text))
    return missing.map((text) => `${program}: ${test.file} does not contain "${text}"`)
  })
