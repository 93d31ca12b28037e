import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import {
  Closed,
  CountedPage,
  cursorOf,
  DateTime,
  IdOrName,
  Nullable,
  OneOf,
  Snowflake,
  Uuid,
} from './formats.ts'
import { patterns } from './patterns.ts'

const tag = 'Audit log'

const ActionType = OneOf('auth', 'project', 'server', 'role', 'webhook', 'member', 'sync', 'permission')
const Severity = OneOf('info', 'warning', 'error')

const Changes = Type.Record(Type.String(), Type.Object({ before: Type.Unknown(), after: Type.Unknown() }), {
  description: 'The changed fields, each with its value before and after. Secrets never appear.',
})

/** One action of an administrator, or of the service itself. */
export const AuditEntry = Type.Object({
  id: Uuid,
  at: DateTime,
  actorId: Nullable(Type.String({ description: 'Member ID; null for actions of the service.' })),
  actorUsername: Nullable(Type.String()),
  actionType: ActionType,
  action: Type.String({
    description: 'The action as `noun.verb`, such as `project.create` or `settings.update`.',
  }),
  severity: Severity,
  targetType: Nullable(Type.String()),
  targetId: Nullable(Type.String()),
  targetName: Nullable(Type.String()),
  summary: Type.String(),
  changes: Nullable(Changes),
  ip: Nullable(Type.String()),
  requestId: Nullable(Type.String()),
  hash: Type.String({
    description: 'The hash of the entry and of all earlier entries. `rolecall audit verify` checks it.',
  }),
})

const AuditFilters = {
  dateFrom: Type.Optional({
    ...DateTime,
    description: 'Start of the period, inclusive. A date without a time means its start in UTC.',
  }),
  dateTo: Type.Optional({
    ...DateTime,
    description: 'End of the period, inclusive. A date without a time includes that whole day in UTC.',
  }),
  actorId: Type.Optional({ ...Snowflake, description: 'Member ID of the admin.' }),
  memberId: Type.Optional({
    ...Snowflake,
    description: 'Actions of this member as an admin, and actions that affected them.',
  }),
  targetType: Type.Optional(
    Type.String({
      pattern: patterns.targetType.pattern,
      maxLength: 32,
      description: 'The kind of target: `project`, `webhook`, `server`, `member`, and others.',
    }),
  ),
  targetId: Type.Optional({ ...IdOrName, description: 'Exact ID of the target.' }),
  actionType: Type.Optional({
    ...ActionType,
    description:
      'The kind of action. Changes to settings are `permission`. Changes to your own profile are `member`.',
  }),
  severity: Type.Optional(Severity),
  search: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Part of the summary, the name of the target, or the action, case-insensitive.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999_999_999, default: 0 })),
}

const AuditExportQuery = Closed(AuditFilters)

const AuditQuery = Closed({
  ...AuditFilters,
  cursor: Type.Optional(cursorOf('entryCursor', 40)),
})

/** The progress and the result of checking the chain of the log. */
export const AuditChain = Type.Object({
  status: {
    ...OneOf('unchecked', 'checking', 'verified', 'broken'),
    description:
      '`checking`: the first check is in progress. `verified`: the last check reached the end and found every entry ' +
      'intact. `broken`: an entry was altered or is missing, and `problem` names it.',
  },
  entries: Type.Integer({ description: 'Current number of entries.' }),
  checked: Type.Integer({ description: 'Entries that the running check has verified so far.' }),
  letGo: Type.Integer({
    description: 'Earlier entries that were deleted because they reached the age limit.',
  }),
  startedAt: Nullable({
    ...DateTime,
    description: 'The time when the running check began at the first entry.',
  }),
  verifiedAt: Nullable({
    ...DateTime,
    description: 'The time when a check last reached the end of the log.',
  }),
  problem: Nullable(Type.String()),
  problemAt: Nullable(DateTime),
  mend: Nullable(Type.String({ description: 'The fix; null if there is no problem.' })),
})

/** Lists the audit log in pages, newest first. Filters combine. */
export const listAuditLogs = endpoint({
  method: 'GET',
  path: '/api/admin/audit/logs',
  tag,
  summary: 'List actions of administrators, newest first',
  description:
    'If you send several filters, an entry must match all of them. For the next page, send `nextCursor` as ' +
    '`cursor`.',
  auth: 'admin',
  query: AuditQuery,
  answers: { 200: CountedPage(AuditEntry, 'Entries') },
  refuses: [],
})

/** Exports the audit log as one CSV file. Refuses an administrator's third concurrent download with RATE_LIMITED. */
export const exportAuditLogs = endpoint({
  method: 'GET',
  path: '/api/admin/audit/logs/export',
  tag,
  summary: 'Download the audit log as CSV',
  description:
    'Creates an audit entry, which is not in the file. Each administrator can run two downloads at a time on ' +
    'each instance of the service. A third download is rejected with 429.',
  auth: 'admin',
  query: AuditExportQuery,
  answers: { 200: { download: ['text/csv'], row: AuditEntry } },
  refuses: ['RATE_LIMITED'],
})

/** Returns the result of the continuous check of the chain: all entries are unchanged, or which one is not. */
export const auditChain = endpoint({
  method: 'GET',
  path: '/api/admin/audit/chain',
  tag,
  summary: 'Read the state of the audit chain',
  description:
    'Each entry contains a hash of all earlier entries. The service checks these hashes in the background: ' +
    'new entries within a minute, and the whole log once a day. `rolecall audit verify` checks the log in ' +
    'one run.',
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
  description:
    'The check runs in the background, and the response does not wait for it. Creates an audit entry.',
  auth: 'admin',
  answers: { 202: AuditChain },
  refuses: [],
})

export type AuditEntry = Static<typeof AuditEntry>
export type AuditExportQuery = Static<typeof AuditExportQuery>
export type AuditQuery = Static<typeof AuditQuery>
export type AuditChain = Static<typeof AuditChain>
