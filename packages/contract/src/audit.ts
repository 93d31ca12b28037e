import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, IdOrName, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'
import { patterns } from './patterns.ts'

const tag = 'Audit log'

const ActionType = OneOf('auth', 'project', 'server', 'role', 'webhook', 'member', 'sync', 'permission')
const Severity = OneOf('info', 'warning', 'error')

const Changes = Type.Record(Type.String(), Type.Object({ before: Type.Unknown(), after: Type.Unknown() }), {
  description: 'Field → value before and after. Secrets never appear.',
})

/** One action of an administrator, or of the service itself. */
export const AuditEntry = Type.Object({
  id: Uuid,
  at: DateTime,
  actorId: Nullable(Type.String({ description: 'Member id; null when the service did it itself.' })),
  actorUsername: Nullable(Type.String()),
  actionType: ActionType,
  action: Type.String({ description: '`noun.verb`: `project.create`, `settings.update`.' }),
  severity: Severity,
  targetType: Nullable(Type.String()),
  targetId: Nullable(Type.String()),
  targetName: Nullable(Type.String()),
  summary: Type.String(),
  changes: Nullable(Changes),
  ip: Nullable(Type.String()),
  requestId: Nullable(Type.String()),
  hash: Type.String({ description: 'Binds the entry to all before it; `rolecall audit verify` checks it.' }),
})

const AuditFilters = {
  dateFrom: Type.Optional({
    ...DateTime,
    description: 'From this moment on. A date alone is its first moment in UTC.',
  }),
  dateTo: Type.Optional({
    ...DateTime,
    description: 'Up to and including this moment. A date alone is the whole day, in UTC.',
  }),
  actorId: Type.Optional({ ...Snowflake, description: 'Member id of the admin.' }),
  memberId: Type.Optional({
    ...Snowflake,
    description: 'Actions of this member as an admin, and actions that affected them.',
  }),
  targetType: Type.Optional(
    Type.String({
      pattern: patterns.targetType.pattern,
      maxLength: 32,
      description: '`project`, `webhook`, `server`, `member` …',
    }),
  ),
  targetId: Type.Optional({ ...IdOrName, description: 'Id of what it was done to, exactly.' }),
  actionType: Type.Optional({
    ...ActionType,
    description: 'Changes of the settings are `permission`, of an own profile `member`.',
  }),
  severity: Type.Optional(Severity),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999_999_999, default: 0 })),
}

const AuditExportQuery = Closed(AuditFilters)

const AuditQuery = Closed({
  ...AuditFilters,
  cursor: Type.Optional(
    Type.String({
      pattern: patterns.entryCursor.pattern,
      maxLength: 40,
      description: '`nextCursor` of the page before: as quick on the last page as on the first.',
    }),
  ),
})

/** The progress and the result of checking the chain of the log. */
export const AuditChain = Type.Object({
  status: {
    ...OneOf('unchecked', 'checking', 'verified', 'broken'),
    description:
      '`checking`: the first check is under way. `verified`: the last check reached the end and found every entry as it was written. ' +
      '`broken`: one is not, or is missing; `problem` says which.',
  },
  entries: Type.Integer({ description: 'Entries of the log now.' }),
  checked: Type.Integer({ description: 'Entries that the check under way has found good so far.' }),
  letGo: Type.Integer({ description: 'Entries that were let go by their age, before the first one.' }),
  startedAt: Nullable({ ...DateTime, description: 'The time when that check began, at the first entry.' }),
  verifiedAt: Nullable({
    ...DateTime,
    description: 'The time when a check last reached the end of the log.',
  }),
  problem: Nullable(Type.String()),
  problemAt: Nullable(DateTime),
  mend: Nullable(Type.String({ description: 'The remedy.' })),
})

/** Lists the audit log in pages, newest first. Filters combine. */
export const listAuditLogs = endpoint({
  method: 'GET',
  path: '/api/admin/audit/logs',
  tag,
  summary: 'List what administrators did, newest first',
  auth: 'admin',
  query: AuditQuery,
  answers: {
    200: Type.Object({
      data: Type.Array(AuditEntry),
      total: Nullable(
        Type.Integer({ description: 'Entries that the filters let through; not counted with a `cursor`.' }),
      ),
      limit: Type.Integer(),
      offset: Type.Integer(),
      nextCursor: Nullable(Type.String({ description: 'Null on the last page.' })),
    }),
  },
  refuses: [],
})

/** Exports the audit log as one CSV file. Refuses an administrator's third concurrent download with RATE_LIMITED. */
export const exportAuditLogs = endpoint({
  method: 'GET',
  path: '/api/admin/audit/logs/export',
  tag,
  summary: 'Download the same entries as CSV',
  description:
    'Leaves an audit entry, which is not in the file. An admin may have two downloads under way on an instance; ' +
    'a third is refused with 429.',
  auth: 'admin',
  query: AuditExportQuery,
  answers: { 200: { download: ['text/csv'], row: AuditEntry } },
  refuses: ['RATE_LIMITED'],
})

/** Returns the result of the continuous check of the chain: every entry is as it was written, or which one is not. */
export const auditChain = endpoint({
  method: 'GET',
  path: '/api/admin/audit/chain',
  tag,
  summary: 'Does the chain of the audit log verify?',
  description:
    'The service checks the chain by itself, in small steps that block no request: new entries within a minute, and all of it from the first ' +
    'entry once a day. `rolecall audit verify` does the same in one go.',
  auth: 'admin',
  answers: { 200: AuditChain },
  refuses: [],
})

/** Starts a check of the whole chain, from the first entry. */
export const verifyAuditChain = endpoint({
  method: 'POST',
  path: '/api/admin/audit/chain/verify',
  tag,
  summary: 'Check the chain of the audit log again, from its first entry',
  description: 'Begins in the background and answers at once. Leaves an audit entry.',
  auth: 'admin',
  answers: { 202: AuditChain },
  refuses: [],
})

export type AuditEntry = Static<typeof AuditEntry>
export type AuditExportQuery = Static<typeof AuditExportQuery>
export type AuditQuery = Static<typeof AuditQuery>
export type AuditChain = Static<typeof AuditChain>
