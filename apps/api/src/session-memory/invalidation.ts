import type { Role } from '#responses/roles'
import { type Change, toChange } from './change.ts'

/** What another process notified of. */
export type Notified =
  /** It has applied a snapshot. */
  | { readonly kind: 'acknowledged'; readonly from: string; readonly snapshot: string }
  /** It waits for those who are behind, or there is something new that nobody waits for. */
  | { readonly kind: 'invalidation'; readonly from: string; readonly carried: Carried | undefined }

/**
 * What those who are named had not acknowledged in this snapshot: with it applied, they have applied the snapshot. It
 * says nothing of anybody else, who may be further behind.
 */
export interface Carried {
  readonly snapshot: string
  readonly holders: readonly string[]
  readonly changes: readonly Change[]
}

/** Understands what this version writes, and the shorter invalidations of versions before it; undefined of anything else. */
export function parseNotification(payload: string): Notified | undefined {
  const [word, from = '', snapshot, ...rest] = payload.split(' ')
  if (word === 'ack' && snapshot) return { kind: 'acknowledged', from, snapshot }
  if (word !== 'look') return undefined
  return {
    kind: 'invalidation',
    from,
    carried: snapshot ? parseCarried(snapshot, rest.join(' ')) : undefined,
  }
}

const noRoles = new Map<string, readonly Role[]>()

function parseCarried(snapshot: string, json: string): Carried | undefined {
  const read = parsed(json)
  if (typeof read !== 'object' || read === null || !('holders' in read) || !('changes' in read))
    return undefined
  const { holders, changes } = read
  if (!Array.isArray(holders) || !Array.isArray(changes)) return undefined
  const applied: Change[] = []
  for (const change of changes) {
    if (!Array.isArray(change) || typeof change[0] !== 'string' || typeof change[1] !== 'string')
      return undefined
    // Roles are not carried, and without them the change cannot be applied.
    if (change[0] === 'roles') return undefined
    applied.push(toChange(change[0], change[1], noRoles))
  }
  return { snapshot, holders: holders.filter((id) => typeof id === 'string'), changes: applied }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
