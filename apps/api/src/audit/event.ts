import type { Tx } from '#platform/db/database'

export type ActionType = 'auth' | 'project' | 'server' | 'role' | 'webhook' | 'member' | 'sync' | 'permission'
export type Severity = 'info' | 'warning' | 'error'

/** An event in plain words for the reader of the log. It contains no secret. */
export interface AuditEvent {
  /** The actor; absent if the service itself acts. */
  readonly actor?: { readonly id: string; readonly username: string }
  readonly actionType: ActionType
  /** noun.verb, present tense: `project.create`. */
  readonly action: string
  readonly severity?: Severity
  readonly target?: { readonly type: string; readonly id: string; readonly name?: string | null }
  readonly summary: string
  /** Field → value before and after. */
  readonly changes?: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>
  readonly client?: { readonly ip: string; readonly requestId: string }
}

/** The author of a change; the service itself if there is no actor. */
export type By = Pick<AuditEvent, 'actor' | 'client'>

/**
 * Records events, in their order, in the transaction of the change that they describe: no audit, no change. All
 * writers wait for each other from here until the end of the transaction, so a long change calls it last.
 */
export type RecordAudit = (tx: Tx, events: AuditEvent | readonly AuditEvent[]) => Promise<void>
