import { audit } from '@rolecall/contract'
import type { By } from '#audit/event'
import { filterText } from '#audit/filter-text'
import { csvAnswer } from '#platform/csv'
import type { Router } from '#platform/http/router'
import { by, type Callers } from '../../callers/callers.ts'
import type { Deps, DownloadEvent, OpenDownload } from '../../deps.ts'
import { auditColumns } from './columns.ts'
import { listAuditEntries, streamAuditEntries } from './read-entries.ts'

type ChainDeps = Pick<Deps, 'db' | 'audit' | 'chainVerifier'>

/** The functions of other features that these endpoints call. `app.ts` passes them. */
interface AuditRouteDeps {
  readonly openDownload: OpenDownload
}

/** Registers the endpoints of the audit log: the list, the export, and the check of its hash chain. */
export function auditRoutes({ route }: Router<Callers>, deps: ChainDeps, { openDownload }: AuditRouteDeps) {
  route(audit.auditChain, () => deps.chainVerifier.state())
  route(audit.verifyAuditChain, (request) => verifyAgain(deps, by(request)))
  route(audit.listAuditLogs, ({ query }) => listAuditEntries(deps, query))
  route(audit.exportAuditLogs, (request) => {
    const { query } = request
    const rows = openDownload(by(request), exportEvent(query), streamAuditEntries(deps, query))
    return csvAnswer({ filename: 'audit-log', columns: auditColumns, rows })
  })
}

/** Starts a check of the whole chain, and returns its state. The check continues in the background. */
async function verifyAgain({ db, audit: log, chainVerifier }: ChainDeps, by: By) {
  await db.transaction((tx) =>
    log.record(tx, {
      ...by,
      actionType: 'auth',
      action: 'audit.verify',
      target: { type: 'audit', id: 'log' },
      summary: 'A check of the whole audit log was requested.',
    }),
  )
  await chainVerifier.restart()
  return chainVerifier.state()
}

const exportEvent = (query: audit.AuditExportQuery): DownloadEvent => ({
  actionType: 'auth',
  action: 'audit.export',
  summary: `The audit log was downloaded as csv: ${filterText(query)}.`,
})
