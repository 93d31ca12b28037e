import type { Latency } from '@rolecall/sdk/admin'
import { useState } from 'react'
import { useApiQuery } from '../api/queries.ts'
import { Button } from './button.tsx'
import { Choice } from './choice.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { boundText, shareText } from './latency-text.ts'
import { countText, Num, numberText } from './number.tsx'
import { Panel } from './page.tsx'
import { Empty, QueryResult } from './states.tsx'
import type { Range } from './time-range.tsx'
import { useFilters } from './use-filters.ts'

const Share = ({ part, count }: { part: number; count: number }) => (
  <span className="number" title={`${numberText(part)} of ${numberText(count)}`}>
    {shareText(part, count)}
  </span>
)

/** The number of rows that are shown at first, the busiest ones. The others are shown on request. */
const maxFoldedRows = 5

const groupings = { route: 'By endpoint', project: 'By project' } as const

/** The response times and the share of errors by endpoint, of all projects or of one. */
export function LatencyPanel({ range: { from, to }, projectId }: { range: Range; projectId?: string }) {
  const [{ of }, setFilters] = useFilters()
  const [isWhole, setWhole] = useState(false)
  const groupBy = of === 'project' && projectId === undefined ? 'project' : 'route'
  const latency = useApiQuery('latency', { query: { from, to, groupBy, projectId, limit: 100 } })
  const columns: readonly Column<Latency>[] = [
    {
      header: groupBy === 'route' ? 'Endpoint' : 'Project',
      cell: ({ name }) => <bdi className={groupBy === 'route' ? 'mono' : undefined}>{name}</bdi>,
    },
    {
      header: 'Requests',
      align: 'end',
      cell: ({ count }) => <Num value={count} short />,
      sortBy: ({ count }) => count,
    },
    { header: 'p50', align: 'end', cell: ({ p50Ms, measured }) => boundText(p50Ms, measured) },
    { header: 'p95', align: 'end', cell: ({ p95Ms, measured }) => boundText(p95Ms, measured) },
    { header: 'p99', align: 'end', cell: ({ p99Ms, measured }) => boundText(p99Ms, measured) },
    {
      header: 'Rejected',
      align: 'end',
      cell: ({ clientErrors, count }) => <Share part={clientErrors} count={count} />,
    },
    {
      header: 'Errors',
      align: 'end',
      cell: ({ serverErrors, count }) => <Share part={serverErrors} count={count} />,
    },
  ]
  return (
    <Panel
      title="Response time"
      note="p50, p95, and p99 on the server, across all instances."
      flush
      actions={
        projectId === undefined && (
          <Choice
            label="Rows"
            value={groupBy}
            options={groupings}
            onChoose={(of) => setFilters({ of })}
            isSmall
          />
        )
      }
    >
      <QueryResult of={latency}>
        {({ data }) => (
          <>
            <DataTable
              label="Response time"
              columns={columns}
              rows={isWhole ? data : data.slice(0, maxFoldedRows)}
              rowKey={({ key }) => key}
              empty={<Empty title="No requests">Times appear within a second of a response.</Empty>}
            />
            {data.length > maxFoldedRows && (
              <div className="panel-foot">
                <Button size="small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
                  {isWhole ? 'Show fewer' : `Show all ${countText(data.length, 'row')}`}
                </Button>
              </div>
            )}
          </>
        )}
      </QueryResult>
    </Panel>
  )
}
