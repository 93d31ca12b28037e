import type { AuthFailure } from '@rolecall/sdk/admin'

/** The fields by which rejected credentials can be grouped. */
export const groupings = {
  address: { text: 'By address', header: 'Address' },
  memberId: { text: 'By person', header: 'Person' },
  keyPrefix: { text: 'By key', header: 'Key' },
  reason: { text: 'By reason', header: 'Reason' },
  path: { text: 'By path', header: 'Path' },
} as const

export type Grouping = keyof typeof groupings

/** Returns true if a text is the name of a field by which failures can be grouped. */
export const isGrouping = (word: string | undefined): word is Grouping =>
  word !== undefined && word in groupings

/** A person with a rejected request. */
interface Person {
  readonly id: string
  readonly name: string
}

/** The failures that have the same value in the field by which they are grouped. */
export interface Group {
  readonly key: string
  readonly count: number
  readonly kinds: readonly AuthFailure['kind'][]
  readonly reasons: readonly string[]
  /** The people of these failures, without duplicates, as far as they are known. */
  readonly people: readonly Person[]
  readonly lastAt: string
}

/** Groups failures, the largest group first. The failures must be sorted, newest first. */
export function groupFailures(failures: readonly AuthFailure[], grouping: Grouping): readonly Group[] {
  const groups = new Map<string, AuthFailure[]>()
  for (const failure of failures) {
    const key = failure[grouping] ?? 'unknown'
    const group = groups.get(key)
    if (group) group.push(failure)
    else groups.set(key, [failure])
  }
  return [...groups]
    .map(([key, found]) => ({
      key,
      count: found.length,
      kinds: [...new Set(found.map(({ kind }) => kind))],
      reasons: [...new Set(found.map(({ reason }) => reason))],
      people: peopleIn(found),
      lastAt: found[0]?.at ?? '',
    }))
    .sort((one, other) => other.count - one.count)
}

function peopleIn(failures: readonly AuthFailure[]): readonly Person[] {
  const names = new Map<string, string>()
  for (const { memberId, memberName } of failures) {
    if (memberId !== null) names.set(memberId, memberName ?? memberId)
  }
  return [...names].map(([id, name]) => ({ id, name }))
}
