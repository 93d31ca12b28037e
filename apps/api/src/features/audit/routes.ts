import { audit } from '@rolecall/contract'
import { csvAnswer } from '#platform/csv'
import type { Router } from '#platform/http/router'
import type { LimitDownloads } from '#platform/limit-downloads'
import type { Deps } from '../../deps.ts'
import type { Callers } from '../callers.ts'
import { auditColumns } from './columns.ts'
import { listAuditEntries, streamAuditEntries } from './read-entries.ts'

interface Needs {
  /** Lets an admin read so many files at once, and no more. */
  readonly limitDownloads: LimitDownloads
}

export function auditRoutes({ route }: Router<Callers>, deps: Pick<Deps, 'db'>, { limitDownloads }: Needs) {
  route(audit.listAuditLogs, ({ query }) => listAuditEntries(deps, query))
  route(audit.exportAuditLogs, ({ caller, query }) => {
    const rows = limitDownloads(caller.id, streamAuditEntries(deps, query))
    return csvAnswer({ filename: 'audit-log', columns: auditColumns, rows })
  })
}
