import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'

const tag = 'Audit log'

const ActionType = OneOf('auth', 'project', 'server', 'role', 'webhook', 'member', 'sync', 'permission')
const Severity = OneOf('info', 'warning', 'error')

const Changes = Type.Record(Type.String(), Type.Object({ before: Type.Unknown(), after: Type.Unknown() }), {
  description: 'Field → value before and after. Secrets never appear.',
})

/** One thing that an administrator, or the service itself, did. */
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

const AuditQuery = Closed({
  dateFrom: Type.Optional({
    ...DateTime,
    description: 'From this moment on. A date alone is its first moment in UTC.',
  }),
  dateTo: Type.Optional({
    ...DateTime,
    description: 'Up to and including this moment. A date alone is the whole day, in UTC.',
  }),
  actorId: Type.Optional({ ...Snowflake, description: 'Member id of the admin.' }),
  actionType: Type.Optional({
    ...ActionType,
    description: 'Changes of the settings are `permission`, of an own profile `member`.',
  }),
  severity: Type.Optional(Severity),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999_999_999, default: 0 })),
})

/** The audit log in pages, newest first; the filters narrow each other. */
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
      total: Type.Integer({ description: 'Entries that the filters let through.' }),
      limit: Type.Integer(),
      offset: Type.Integer(),
    }),
  },
  refuses: [],
})

/** The audit log as one CSV file. Refuses a third download of an admin with RATE_LIMITED. */
export const exportAuditLogs = endpoint({
  method: 'GET',
  path: '/api/admin/audit/logs/export',
  tag,
  summary: 'Download the same entries as CSV',
  description:
    'Leaves an audit entry, which is not in the file. An admin may have two downloads under way on an instance; ' +
    'a third is refused with 429.',
  auth: 'admin',
  query: AuditQuery,
  answers: { 200: { download: ['text/csv'], row: AuditEntry } },
  refuses: ['RATE_LIMITED'],
})

export type AuditEntry = Static<typeof AuditEntry>
export type AuditQuery = Static<typeof AuditQuery>
