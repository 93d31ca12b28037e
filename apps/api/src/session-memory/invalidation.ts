import { formats } from '@rolecall/contract'
import type { Role } from '#responses/roles'
import { type Change, toChange } from './change.ts'
import { isSnapshot } from './snapshot.ts'

/** A message from another process. See `Confirmation` for the exchange of these messages. */
export type Notification =
  /** The sender has applied a snapshot. */
  | { readonly kind: 'acknowledged'; readonly from: string; readonly snapshot: string }
  /**
   * The sender, or another process, has changed something. Holders that are behind must apply the changes. The sender
   * may be waiting for them.
   */
  | {
      readonly kind: 'invalidation'
      readonly from: string
      /** True if the sender expects acknowledgements through the cache. */
      readonly isQuick: boolean
      /** Undefined if the receiver must read the change log. */
      readonly carried: CarriedChanges | undefined
    }

/**
 * The changes that the named holders had not acknowledged at this snapshot. After a named holder has applied them, it
 * has applied the snapshot. For any other holder, the list may be incomplete.
 */
export interface CarriedChanges {
  readonly snapshot: string
  readonly holders: readonly string[]
  readonly changes: readonly Change[]
}

/**
 * Parses a notification of this version, or the shorter ones of earlier versions. Returns undefined for any other text.
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

/** Formats an acknowledgement, for `NOTIFY` or for the cache. */
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
    // A change of roles needs the current roles, which a notification does not contain.
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
