import type { Tx } from '#platform/db/database'

export type ActionType = 'auth' | 'project' | 'server' | 'role' | 'webhook' | 'member' | 'sync' | 'permission'
export type Severity = 'info' | 'warning' | 'error'

/** What happened, in the words of whoever reads the log. Never a secret. */
export interface AuditEvent {
  /** Who did it; the service itself when absent. */
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

/** Records an event in the transaction of the change it tells of: no audit, no change. */
export type RecordAudit = (tx: Tx, event: AuditEvent) => Promise<void>
