import type { AuditEntry } from '@rolecall/sdk/admin'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { admin } from '../../api/admin.ts'
import { useApiQuery } from '../../api/queries.ts'
import { Button, ButtonAnchor } from '../../components/button.tsx'
import { Status } from '../../components/chip.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { countText } from '../../components/number.tsx'
import { Page as PageFrame } from '../../components/page.tsx'
import { newestKey, olderKey } from '../../components/page-keys.ts'
import { usePagePeriod } from '../../components/page-period.ts'
import { Empty, QueryResult } from '../../components/states.tsx'
import { dayText, Time } from '../../components/time.tsx'
import { useFilters, withFilters } from '../../components/use-filters.ts'
import { Chain } from './chain.tsx'
import { Changes } from './changes.tsx'
import { actionTypes, Filters, queryOf, severities } from './filters.tsx'
import './audit.css'

const perPage = 50
/** The maximum number of entries in a downloaded file. */
const maxDownload = 500
const tones = { info: 'none', warning: 'warn', error: 'bad' } as const

/** The audit log: the actions of administrators and of the service, newest first. */
export function Page() {
  const [filters, setFilters] = useFilters()
  const query = queryOf(filters)
  const { cursor } = filters
  usePagePeriod({
    period: { from: query.dateFrom, to: query.dateTo },
    show: (from, to) => setFilters({ from, to, cursor: undefined }),
  })
  const entries = useApiQuery('listAuditLogs', {
    query: { ...query, limit: perPage, cursor: cursor || undefined },
  })
  // The service counts the entries only for the first page. On later pages, the label assumes that the file lacks the
  // oldest entries.
  const isWhole = entries.data === undefined || (entries.data.total ?? Infinity) <= maxDownload
  const isNarrowed = Object.values(query).some((value) => value !== undefined)
  return (
    <PageFrame
      title="Audit"
      guide="administering"
      lead="Every change by an administrator or the service. A hash chain shows whether an entry was altered."
      width="wide"
      actions={
        <ButtonAnchor
          href={admin.address('exportAuditLogs', { query: { ...query, limit: maxDownload } })}
          download
        >
          {isWhole ? 'Download CSV' : `Download newest ${maxDownload} as CSV`}
        </ButtonAnchor>
      }
    >
      <Chain />
      <Filters
        filters={filters}
        onChange={(changes) => setFilters({ ...changes, cursor: undefined })}
        count={entries.data?.total ?? undefined}
      />
      <QueryResult of={entries}>
        {({ data, nextCursor, total }) => (
          <>
            <DataTable
              label="Audit log"
              rows={data}
              rowKey={({ id }) => id}
              columns={columns}
              groupOf={({ at }) => dayText(at)}
              isDense
              empty={
                isNarrowed ? (
                  <Empty title="No entries match">Remove a filter, or choose a longer period.</Empty>
                ) : (
                  <Empty title="No entries yet">Changes will appear here.</Empty>
                )
              }
            />
            <nav className="pager" aria-label="Pages">
              <span>{total === null ? 'Older entries' : countText(total, 'entry', 'entries')}</span>
              <span className="row">
                {cursor && (
                  <Button
                    aria-keyshortcuts={newestKey}
                    onClick={() => setFilters({ cursor: undefined }, { isStep: true })}
                  >
                    Newest
                  </Button>
                )}
                {nextCursor && (
                  <Button
                    aria-keyshortcuts={olderKey}
                    onClick={() => setFilters({ cursor: nextCursor }, { isStep: true })}
                  >
                    Older
                  </Button>
                )}
              </span>
            </nav>
          </>
        )}
      </QueryResult>
    </PageFrame>
  )
}

/** Returns the name of the person or the part of the service that acted. */
const whoOf = ({ actorId, actorUsername }: AuditEntry): string =>
  actorId === null ? 'the service' : (actorUsername ?? 'unknown')

/** A link that filters the log to entries with the same value. */
const Only = ({ by, value, children }: { by: string; value: string; children: ReactNode }) => (
  <Link to="/audit" className="only" search={withFilters({ [by]: value, cursor: '' })}>
    {children}
  </Link>
)

const columns: readonly Column<AuditEntry>[] = [
  { header: 'Time', cell: ({ at }) => <Time at={at} show="clock" /> },
  {
    header: 'What',
    cell: (entry) => (
      <div className="entry">
        <bdi>{entry.summary}</bdi>
        <Changes of={entry} />
      </div>
    ),
  },
  {
    header: 'Who',
    cell: (entry) =>
      entry.actorId === null ? (
        <span className="quiet">{whoOf(entry)}</span>
      ) : (
        <Only by="who" value={entry.actorId}>
          <bdi>{whoOf(entry)}</bdi>
        </Only>
      ),
  },
  {
    header: 'Kind',
    cell: ({ actionType }) => (
      <Only by="kind" value={actionType}>
        {actionTypes[actionType]}
      </Only>
    ),
  },
  {
    header: 'Severity',
    cell: ({ severity }) => (
      <Only by="severity" value={severity}>
        <Status tone={tones[severity]}>{severities[severity]}</Status>
      </Only>
    ),
  },
]
