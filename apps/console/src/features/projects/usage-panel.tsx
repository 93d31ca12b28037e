import { UsageLines } from '../../components/chart.tsx'
import { Choice } from '../../components/choice.tsx'
import { LatencyPanel } from '../../components/latency-panel.tsx'
import { Panel } from '../../components/page.tsx'
import { Empty, QueryResult } from '../../components/states.tsx'
import { RangeChoice, useRange } from '../../components/time-range.tsx'
import { useFilters } from '../../components/use-filters.ts'
import { useUsage } from '../../components/use-usage.ts'

const groupings = { route: 'By endpoint', status: 'By status' } as const

/** The requests of a project, and the responses to them. */
export function UsagePanel({ projectId }: { projectId: string }) {
  const [{ by }, setFilters] = useFilters()
  const range = useRange()
  const groupBy = by === 'status' ? 'status' : 'route'
  const usage = useUsage({ projectId, from: range.from, to: range.to, bucket: range.coarse, groupBy })
  return (
    <>
      <Panel
        title="Requests"
        actions={
          <>
            <Choice
              label="Group by"
              value={groupBy}
              options={groupings}
              onChoose={(by) => setFilters({ by })}
              isSmall
            />
            <RangeChoice range={range} />
          </>
        }
      >
        <QueryResult of={usage}>
          {(chart) =>
            chart.series.length > 0 ? (
              <UsageLines label="Requests of the project" chart={chart} />
            ) : (
              <Empty title="No requests">Counts appear within a second of a request with the API key.</Empty>
            )
          }
        </QueryResult>
      </Panel>
      <LatencyPanel range={range} projectId={projectId} />
    </>
  )
}
