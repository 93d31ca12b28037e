import type { SystemHealth } from '@rolecall/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { question, useApiQuery } from '../../api/queries.ts'
import { Sparkline } from '../../components/chart.tsx'
import { Status } from '../../components/chip.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { figureValue } from '../../components/figure-value.ts'
import { Needs } from '../../components/needs.tsx'
import { Num, numberText } from '../../components/number.tsx'
import { Figures, Page as PageFrame, Panel } from '../../components/page.tsx'
import { refusalText, WhyLink, whyLink } from '../../components/refusals.tsx'
import { Empty, Notice, QueryResult, Skeleton } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { RangeChoice, useRange } from '../../components/time-range.tsx'
import { useUsage } from '../../components/use-usage.ts'
import { partsOf, sentenceOf } from './health.ts'
import './overview.css'

const healthEveryMs = 15_000

/** The health of the service, open problems, and recent activity. */
export function Page() {
  const health = useQuery({ ...question('systemHealth', {}), refetchInterval: healthEveryMs })
  const attention = useQuery({ ...question('listAttention', {}), refetchInterval: healthEveryMs })
  const isCalm = attention.data?.total === 0
  return (
    <PageFrame title="Overview" guide="administering" lead={health.data && sentenceOf(health.data, isCalm)}>
      <Needs title="Needs attention" items={attention.data?.data ?? []} />
      <InNumbers />
      <div className="columns">
        <Panel title="Status" actions={<Link to="/monitoring">Monitoring</Link>}>
          <QueryResult of={health}>{(found) => <Parts health={found} />}</QueryResult>
        </Panel>
        <Newest />
      </div>
      <RecentlyRefused />
    </PageFrame>
  )
}

function InNumbers() {
  const range = useRange()
  const stats = useApiQuery('stats', {})
  const validates = useUsage({
    ...{ from: range.from, to: range.to, bucket: range.fine },
    route: ['POST /api/auth/validate'],
  })
  const signIns = useUsage({
    ...{ from: range.from, to: range.to, bucket: range.fine, status: '2xx' as const },
    route: ['POST /api/auth/token', 'POST /oidc/token'],
  })
  const sum = (usage: typeof validates) =>
    figureValue(usage, (chart) => (
      <>
        <Num value={chart.series.reduce((total, { count }) => total + count, 0)} short />
        <Sparkline chart={chart} />
      </>
    ))
  return (
    <section className="stack tight" aria-label="Activity">
      <div className="row apart">
        <h2>Activity</h2>
        <RangeChoice range={range} />
      </div>
      <Figures
        of={[
          {
            name: 'Members',
            value: figureValue(stats, ({ members }) => <Num value={members} short />),
            note: stats.data && `${numberText(stats.data.activeMembers)} recently active`,
          },
          {
            name: 'Active sessions',
            value: figureValue(stats, ({ sessions }) => <Num value={sessions} short />),
          },
          { name: 'Validations', value: sum(validates) },
          { name: 'Sign-ins', value: sum(signIns) },
        ]}
      />
    </section>
  )
}

const refusedEveryMs = 5_000

/** Lists the latest refused sign-ins, each with a link to its explanation. */
function RecentlyRefused() {
  const refused = useQuery({
    ...question('listRefusedLogins', { query: { limit: 5 } }),
    refetchInterval: refusedEveryMs,
  })
  const { data } = useApiQuery('listProjects', { query: {} })
  const nameOf = (projectId: string) =>
    data?.data.find(({ id }) => id === projectId)?.name ?? 'Deleted project'
  return (
    <Panel title="Recently refused" note="Sign-ins that ended without a session" flush>
      <QueryResult of={refused} loading={<Skeleton rows={3} />}>
        {({ data: entries }) => (
          <DataTable
            label="Recently refused"
            rows={entries}
            rowKey={({ at, memberId }) => `${at} ${memberId}`}
            rowLink={whyLink}
            columns={[
              {
                header: 'Account',
                cell: ({ displayName, username }) => <bdi>{displayName ?? username}</bdi>,
              },
              { header: 'Project', cell: ({ projectId }) => <bdi>{nameOf(projectId)}</bdi> },
              { header: 'Reason', cell: ({ code }) => refusalText[code] },
              { header: 'When', cell: ({ at }) => <Time at={at} />, align: 'end' },
              { header: '', cell: (entry) => <WhyLink refused={entry} />, align: 'end' },
            ]}
            empty={<Empty title="No refused sign-ins">All recent sign-ins succeeded.</Empty>}
          />
        )}
      </QueryResult>
    </Panel>
  )
}

const Parts = ({ health }: { health: SystemHealth }) => (
  <>
    <dl className="parts">
      {partsOf(health).map(({ name: part, tone, state, note }) => (
        <div key={part}>
          <dt>{part}</dt>
          <dd>
            <Status tone={tone}>{state}</Status>
            <span className="quiet">{note}</span>
          </dd>
        </div>
      ))}
    </dl>
    {health.chatPlatform.problem && <Notice tone="warn">{health.chatPlatform.problem}</Notice>}
    {health.database.problem && <Notice tone="bad">{health.database.problem}</Notice>}
  </>
)

function Newest() {
  const entries = useApiQuery('listAuditLogs', { query: { limit: 8 } })
  return (
    <Panel title="Recent activity" actions={<Link to="/audit">Audit log</Link>} flush>
      <QueryResult of={entries} loading={<Skeleton rows={8} />}>
        {({ data }) => (
          <DataTable
            label="Newest entries of the audit log"
            rows={data}
            rowKey={({ id }) => id}
            columns={[
              { header: 'What', cell: ({ summary }) => <span dir="auto">{summary}</span> },
              { header: 'When', cell: ({ at }) => <Time at={at} />, align: 'end' },
            ]}
            empty={<Empty title="No entries yet">Changes by administrators will appear here.</Empty>}
          />
        )}
      </QueryResult>
    </Panel>
  )
}
