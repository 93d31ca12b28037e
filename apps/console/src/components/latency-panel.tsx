import type { Latency } from '@rolecall/sdk/admin'
import { useAnswer } from '../api/queries.ts'
import { Choice } from './choice.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { Num, numberText } from './number.tsx'
import { Panel } from './page.tsx'
import { Answer, Empty } from './states.tsx'
import type { Range } from './time-range.tsx'
import { useFilters } from './use-filters.ts'

/** A bound of the histogram as people read it; beyond the last one nothing is known but that it was longer. */
const boundText = (ms: number | null, measured: number): string => {
  if (measured === 0) return '–'
  if (ms === null) return '> 10 s'
  return ms < 1_000 ? `≤ ${numberText(ms)} ms` : `≤ ${numberText(ms / 1_000)} s`
}

const shareText = (part: number, count: number): string => {
  if (part === 0) return '0 %'
  const share = (100 * part) / count
  return share < 0.1 ? '< 0.1 %' : `${numberText(Math.round(share * 10) / 10)} %`
}

const Share = ({ part, count }: { part: number; count: number }) => (
  <span className="number" title={`${numberText(part)} of ${numberText(count)}`}>
    {shareText(part, count)}
  </span>
)

const groupings = { route: 'By endpoint', project: 'By project' } as const

/** How long answers take and how many are errors; of one project where one is named. */
export function LatencyPanel({ range: { from, to }, projectId }: { range: Range; projectId?: string }) {
  const [{ of }, setFilters] = useFilters()
  const groupBy = of === 'project' && projectId === undefined ? 'project' : 'route'
  const latency = useAnswer('latency', { query: { from, to, groupBy, projectId, limit: 100 } })
  const columns: readonly Column<Latency>[] = [
    {
      header: groupBy === 'route' ? 'Endpoint' : 'Project',
      cell: ({ name }) => <span className={groupBy === 'route' ? 'mono' : undefined}>{name}</span>,
    },
    { header: 'Answers', align: 'end', cell: ({ count }) => <Num value={count} short /> },
    { header: 'Half', align: 'end', cell: ({ p50Ms, measured }) => boundText(p50Ms, measured) },
    { header: '95 %', align: 'end', cell: ({ p95Ms, measured }) => boundText(p95Ms, measured) },
    { header: '99 %', align: 'end', cell: ({ p99Ms, measured }) => boundText(p99Ms, measured) },
    {
      header: 'Refused',
      align: 'end',
      cell: ({ clientErrors, count }) => <Share part={clientErrors} count={count} />,
    },
    {
      header: 'Failed',
      align: 'end',
      cell: ({ serverErrors, count }) => <Share part={serverErrors} count={count} />,
    },
  ]
  return (
    <Panel
      title="How long answers take"
      note="So many took no longer than this, on all instances; the network is not in it."
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
      <Answer of={latency}>
        {({ data }) => (
          <DataTable
            label="How long answers take"
            columns={columns}
            rows={data}
            rowKey={({ key }) => key}
            empty={<Empty title="Nothing was asked">Times arrive within a second of an answer.</Empty>}
          />
        )}
      </Answer>
    </Panel>
  )
}
