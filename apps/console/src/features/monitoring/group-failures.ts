import type { AuthFailure } from '@rolecall/sdk/admin'

/** By what rejected credentials are put together. */
export const groupings = {
  address: { text: 'By address', header: 'Address' },
  memberId: { text: 'By person', header: 'Person' },
  keyPrefix: { text: 'By key', header: 'Key' },
  reason: { text: 'By reason', header: 'Reason' },
  path: { text: 'By path', header: 'Path' },
} as const

export type Grouping = keyof typeof groupings

export const isGrouping = (word: string | undefined): word is Grouping =>
  word !== undefined && word in groupings

/** Somebody who was turned away. */
interface Person {
  readonly id: string
  readonly name: string
}

/** Failures that have one thing in common. */
export interface Group {
  readonly key: string
  readonly count: number
  readonly kinds: readonly AuthFailure['kind'][]
  readonly reasons: readonly string[]
  /** Who it was, each once, where that is known. */
  readonly people: readonly Person[]
  readonly lastAt: string
}

/** Puts failures together, the most frequent first. They come newest first. */
export function groupFailures(failures: readonly AuthFailure[], grouping: Grouping): readonly Group[] {
  const groups = new Map<string, AuthFailure[]>()
  for (const failure of failures) {
    const key = failure[grouping] ?? 'not known'
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
