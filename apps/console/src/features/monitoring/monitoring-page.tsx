import type { SystemHealth } from '@rolecall/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { question, useApiQuery } from '../../api/queries.ts'
import { UsageLines } from '../../components/chart.tsx'
import { Status } from '../../components/chip.tsx'
import { byId, Choice } from '../../components/choice.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { LatencyPanel } from '../../components/latency-panel.tsx'
import { Needs } from '../../components/needs.tsx'
import { Num } from '../../components/number.tsx'
import { Figures, Page as PageFrame, Panel } from '../../components/page.tsx'
import { Empty, QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { type Range, RangeChoice, useRange } from '../../components/time-range.tsx'
import { useFilters } from '../../components/use-filters.ts'
import { useUsage } from '../../components/use-usage.ts'
import { Failures } from './failures.tsx'
import { FiveQuestions } from './five-questions.tsx'
import { Queues } from './queues.tsx'

const healthEveryMs = 15_000

/** Traffic, rejected requests, and service health. */
export function Page() {
  const range = useRange()
  const [{ project = '' }, setFilters] = useFilters()
  const projects = useApiQuery('listProjects', { query: {} })
  const projectId = project || undefined
  const health = useQuery({ ...question('systemHealth', {}), refetchInterval: healthEveryMs })
  const alerts = useQuery({ ...question('listAttention', {}), refetchInterval: healthEveryMs })
  return (
    <PageFrame
      title="Monitoring"
      guide="monitoring"
      lead="Traffic, rejected requests, and service health."
      actions={
        <>
          <Choice
            label="Project"
            value={project}
            options={byId(projects.data?.data)}
            all="Every project"
            onChoose={(chosen) => setFilters({ project: chosen })}
            isSmall
          />
          <RangeChoice range={range} />
        </>
      }
    >
      <Needs title="Firing alerts" items={alerts.data?.data ?? []} />
      <FiveQuestions range={range} projectId={projectId} />
      <Requests range={range} projectId={projectId} />
      <LatencyPanel range={range} {...(projectId !== undefined && { projectId })} />
      <Failures range={range} projectId={projectId} />
      <Queues />
      <QueryResult of={health}>
        {(found) => (
          <div className="stack">
            <Platform health={found} />
            <Instances health={found} />
          </div>
        )}
      </QueryResult>
    </PageFrame>
  )
}

const groupings = { route: 'By endpoint', project: 'By project', status: 'By status' } as const
type Grouping = keyof typeof groupings
const faults = { '4xx': 'Rejected (4xx)', '5xx': 'Errors (5xx)' } as const

interface RequestsProps {
  readonly range: Range
  readonly projectId: string | undefined
}

function Requests({ range: { from, to, coarse: bucket }, projectId }: RequestsProps) {
  const [{ by, only }, setFilters] = useFilters()
  const groupBy: Grouping = by !== undefined && by in groupings ? (by as Grouping) : 'route'
  const status = only === '4xx' || only === '5xx' ? only : undefined
  const usage = useUsage({ from, to, bucket, groupBy, status, projectId })
  return (
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
          <Choice
            label="Responses"
            value={status ?? ''}
            options={faults}
            all="All responses"
            onChoose={(only) => setFilters({ only })}
            isSmall
          />
        </>
      }
    >
      <QueryResult of={usage}>
        {(chart) =>
          chart.series.length > 0 ? (
            <UsageLines label="Requests" chart={chart} />
          ) : (
            <Empty title="No requests">There were none in this period, or their counts have expired.</Empty>
          )
        }
      </QueryResult>
    </Panel>
  )
}

const Platform = ({ health: { chatPlatform, database } }: { health: SystemHealth }) => (
  <Figures
    of={[
      {
        name: 'Discord requests left this second',
        value: <Num value={chatPlatform.rest.remaining} />,
        note: `of ${chatPlatform.rest.perSecond}`,
      },
      {
        name: 'Rejected by Discord in ten minutes',
        value: <Num value={chatPlatform.rest.invalidRequests} />,
        note: 'Discord bans at 10,000',
      },
      {
        name: 'Gateway sessions left',
        value:
          typeof chatPlatform.sessionsLeft === 'number' ? <Num value={chatPlatform.sessionsLeft} /> : '–',
      },
      {
        name: 'Gateway lag',
        value:
          chatPlatform.lagMs === undefined || chatPlatform.lagMs === null
            ? '–'
            : `${Math.round(chatPlatform.lagMs)} ms`,
        note: 'age of the oldest unwritten change',
      },
      {
        name: 'Database connections',
        value: <Num value={database.pool.total - database.pool.idle} />,
        note: `of ${database.pool.max} busy, ${database.pool.waiting} waiting`,
      },
    ]}
  />
)

const Instances = ({ health: { api, chatPlatform } }: { health: SystemHealth }) => (
  <div className="columns">
    <Panel title="Instances" note="Seen within the last minute" flush>
      <DataTable
        label="Instances"
        rows={api.instances}
        rowKey={({ id }) => id}
        columns={[
          { header: 'Started', cell: ({ startedAt }) => <Time at={startedAt} /> },
          { header: 'Version', cell: ({ version }) => version },
          {
            header: 'Role',
            cell: ({ leadsGateway, isSelf }) =>
              [leadsGateway ? 'leads the gateway' : '', isSelf ? 'served this page' : '']
                .filter(Boolean)
                .join(', '),
          },
          { header: 'Last seen', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />, align: 'end' },
        ]}
        empty={
          <Empty title="No instances">
            The list is empty although an instance responded. Reload the page.
          </Empty>
        }
      />
    </Panel>
    {(chatPlatform.notLive ?? []).length > 0 && (
      <Panel title="Servers without live updates" flush>
        <DataTable
          label="Servers without live updates"
          rows={chatPlatform.notLive ?? []}
          rowKey={({ serverId }) => serverId}
          columns={[
            { header: 'Server', cell: ({ serverName }) => <bdi>{serverName}</bdi> },
            {
              header: 'Reason',
              cell: ({ reason }) => (
                <Status tone={reason === 'lost' ? 'bad' : 'warn'}>
                  {
                    { lost: 'The bot is not a member', unavailable: 'Discord outage', reading: 'Reading' }[
                      reason
                    ]
                  }
                </Status>
              ),
            },
            { header: 'Since', cell: ({ since }) => <Time at={since} />, align: 'end' },
          ]}
          empty={null}
        />
      </Panel>
    )}
  </div>
)
