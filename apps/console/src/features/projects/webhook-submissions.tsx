import type { InboundWebhook, Submission } from '@rolecall/sdk/admin'
import { admin } from '../../api/admin.ts'
import { useApiQuery } from '../../api/queries.ts'
import { Status } from '../../components/chip.tsx'
import { CursorPager } from '../../components/cursor-pager.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { ExportButton } from '../../components/export-button.tsx'
import { Panel } from '../../components/page.tsx'
import { usePagePeriod } from '../../components/page-period.ts'
import { PeriodFields, periodOf } from '../../components/period-fields.tsx'
import { Empty, QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useFilters } from '../../components/use-filters.ts'
import './webhooks.css'

const perPage = 50
/** The maximum number of characters of a payload in its row. The rest appears when the row is opened. */
const maxPreviewLength = 90

const columns: readonly Column<Submission>[] = [
  { header: 'When', cell: ({ receivedAt }) => <Time at={receivedAt} show="full" /> },
  { header: 'Payload', cell: ({ payload }) => <Payload of={payload} /> },
  {
    header: 'Signed',
    cell: ({ isSigned }) => <Status tone={isSigned ? 'good' : 'none'}>{isSigned ? 'yes' : 'no'}</Status>,
  },
  { header: 'Origin', cell: ({ origin }) => origin ?? '' },
]

function Payload({ of: payload }: { of: unknown }) {
  const line = JSON.stringify(payload)
  return line.length <= maxPreviewLength ? (
    <code className="payload">{line}</code>
  ) : (
    <details className="payload">
      <summary>
        <code>{line.slice(0, maxPreviewLength)}…</code>
      </summary>
      <pre>{JSON.stringify(payload, null, 2)}</pre>
    </details>
  )
}

/** The accepted submissions, newest first. */
export function WebhookSubmissions({ webhook: { id, projectId, slug } }: { webhook: InboundWebhook }) {
  const [{ from, to, cursor }, setFilters] = useFilters()
  const params = { projectId, webhookId: id }
  const period = periodOf({ from, to })
  usePagePeriod({
    period: { from: period.dateFrom, to: period.dateTo },
    show: (begin, end) => setFilters({ from: begin, to: end, cursor: undefined }),
  })
  const submissions = useApiQuery('listSubmissions', { params, query: { ...period, cursor, limit: perPage } })
  const isNarrowed = period.dateFrom !== undefined || period.dateTo !== undefined
  return (
    <Panel
      title="Submissions"
      note="Very long numbers may be rounded here. The export contains them as they were sent."
      flush
      actions={
        <ExportButton
          address={admin.address('exportSubmissions', { params, query: period })}
          fileName={`${slug}.csv`}
        />
      }
    >
      <div className="toolbar panel-toolbar">
        <PeriodFields
          from={from}
          to={to}
          onChange={(changes) => setFilters({ ...changes, cursor: undefined })}
        />
      </div>
      <QueryResult of={submissions}>
        {({ data, nextCursor }) => (
          <>
            <DataTable
              label="Submissions"
              columns={columns}
              rows={data}
              rowKey={(submission) => submission.id}
              empty={
                isNarrowed ? (
                  <Empty title="No submissions in this period">Choose a longer period.</Empty>
                ) : (
                  <Empty title="No submissions yet">Use the code below to send the first one.</Empty>
                )
              }
            />
            <CursorPager next={nextCursor} />
          </>
        )}
      </QueryResult>
    </Panel>
  )
}
