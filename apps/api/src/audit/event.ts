import type { Tx } from '#platform/db/database'

/** The groups of actions that the audit log can be filtered by. */
export type ActionType = 'auth' | 'project' | 'server' | 'role' | 'webhook' | 'member' | 'sync' | 'permission'
export type Severity = 'info' | 'warning' | 'error'

/** An event for the audit log, in plain words for its reader. Must not contain a secret. */
export interface AuditEvent {
  /** The author of the change. Undefined if the service itself did. */
  readonly actor?: { readonly id: string; readonly username: string }
  readonly actionType: ActionType
  /** A noun and a verb in the present tense, such as `project.create`. */
  readonly action: string
  readonly severity?: Severity
  readonly target?: { readonly type: string; readonly id: string; readonly name?: string | null }
  /** One sentence about what happened. */
  readonly summary: string
  /** The changed fields, each with its value before and after. */
  readonly changes?: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>
  readonly client?: { readonly ip: string; readonly requestId: string }
}

/** The author of a change. Without `actor`, it is the service itself. */
export type By = Pick<AuditEvent, 'actor' | 'client'>

/**
 * Records events in the transaction of the change that they describe, so that there is no change without an audit
 * entry. From then on, all other writers of the log wait for the end of the transaction. So a long change must call it
 * last.
 */
export type RecordAudit = (tx: Tx, events: AuditEvent | readonly AuditEvent[]) => Promise<void>
