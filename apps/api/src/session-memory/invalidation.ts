import { formats } from '@rolecall/contract'
import type { Role } from '#responses/roles'
import { type Change, toChange } from './change.ts'
import { isSnapshot } from './snapshot.ts'

/** A notification of another process. */
export type Notification =
  /** Acknowledges that the process has applied a snapshot. */
  | { readonly kind: 'acknowledged'; readonly from: string; readonly snapshot: string }
  /**
   * Requests that the holders that are behind apply changes. The sender may wait for them, or only announce a write.
   */
  | {
      readonly kind: 'invalidation'
      readonly from: string
      /** True if the process expects acknowledgements through the cache. */
      readonly isQuick: boolean
      readonly carried: CarriedChanges | undefined
    }

/**
 * All changes that the named holders had not acknowledged at this snapshot. A named holder that applies them has
 * applied the snapshot. For other holders they may be incomplete.
 */
export interface CarriedChanges {
  readonly snapshot: string
  readonly holders: readonly string[]
  readonly changes: readonly Change[]
}

/**
 * Parses the notifications of this version and the shorter invalidations of earlier versions. Returns undefined for any
 * other payload.
 */
export function parseNotification(payload: string): Notification | undefined {
  const [word, from = '', snapshot = '', ...rest] = payload.split(' ')
  if (word === 'ack' && formats.uuid(from) && isSnapshot(snapshot))
    return { kind: 'acknowledged', from, snapshot }
  if (word !== 'look') return undefined
  const body = parseJson(rest.join(' '))
  return {
    kind: 'invalidation',
    from,
    isQuick: isObject(body) && 'isQuick' in body && body.isQuick === true,
    carried: isSnapshot(snapshot) ? toCarried(snapshot, body) : undefined,
  }
}

/** Formats an acknowledgement for a notification or for the cache. */
export const formatAcknowledgement = (from: string, snapshot: string) => `ack ${from} ${snapshot}`

const isObject = (read: unknown): read is object => typeof read === 'object' && read !== null

const noRoles = new Map<string, readonly Role[]>()

function toCarried(snapshot: string, read: unknown): CarriedChanges | undefined {
  if (!isObject(read) || !('holders' in read) || !('changes' in read)) return undefined
  const { holders, changes } = read
  if (!Array.isArray(holders) || !Array.isArray(changes)) return undefined
  const applied: Change[] = []
  for (const change of changes) {
    if (!Array.isArray(change) || typeof change[0] !== 'string' || typeof change[1] !== 'string')
      return undefined
    // Roles are not carried, and the change cannot be applied without them.
    if (change[0] === 'roles') return undefined
    applied.push(toChange(change[0], change[1], noRoles))
  }
  return { snapshot, holders: holders.filter((id) => typeof id === 'string'), changes: applied }
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
