import { audit } from '@rolecall/contract'
import { csvAnswer } from '#platform/csv'
import type { Router } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import type { Callers } from '../callers.ts'
import { auditColumns } from './columns.ts'
import { listAuditEntries, streamAuditEntries } from './read-entries.ts'

export function auditRoutes({ route }: Router<Callers>, deps: Pick<Deps, 'db'>) {
  route(audit.listAuditLogs, ({ query }) => listAuditEntries(deps, query))
  route(audit.exportAuditLogs, ({ query }) =>
    csvAnswer({ filename: 'audit-log', columns: auditColumns, rows: streamAuditEntries(deps, query) }),
  )
}
