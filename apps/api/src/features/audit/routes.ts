import { audit } from '@rolecall/contract'
import { csvAnswer } from '#platform/csv'
import type { Router } from '#platform/http/router'
import type { Deps, DownloadEvent, OpenDownload } from '../../deps.ts'
import { by, type Callers } from '../callers.ts'
import { auditColumns } from './columns.ts'
import { listAuditEntries, streamAuditEntries } from './read-entries.ts'

interface AuditRouteDeps {
  readonly openDownload: OpenDownload
}

export function auditRoutes(
  { route }: Router<Callers>,
  deps: Pick<Deps, 'db'>,
  { openDownload }: AuditRouteDeps,
) {
  route(audit.listAuditLogs, ({ query }) => listAuditEntries(deps, query))
  route(audit.exportAuditLogs, (request) => {
    const { query } = request
    const rows = openDownload(by(request), exportEvent(query), streamAuditEntries(deps, query))
    return csvAnswer({ filename: 'audit-log', columns: auditColumns, rows })
  })
}

/** Every filter is an id, a word or a moment: all of them may be told. */
const exportEvent = (query: audit.AuditQuery): DownloadEvent => ({
  actionType: 'auth',
  action: 'audit.export',
  summary: `The audit log was downloaded as csv: ${Object.entries(query)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')}.`,
})
