import type { MemberHistoryEntry } from '@rolecall/sdk/admin'
import { Link } from '@tanstack/react-router'
import { useApiQuery } from '../../api/queries.ts'
import { RoleChip } from '../../components/chip.tsx'
import { CursorPager } from '../../components/cursor-pager.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/page.tsx'
import { Empty, QueryResult, Skeleton } from '../../components/states.tsx'
import { dayText, Time } from '../../components/time.tsx'
import { useFilters } from '../../components/use-filters.ts'

const title = 'Last 30 days'
const perPage = 20

/** Lists the role changes and sign-ins of a member, newest first, grouped by day. */
export function HistoryPanel({ memberId }: { memberId: string }) {
  const [{ cursor }] = useFilters()
  const history = useApiQuery('listMemberHistory', {
    params: { id: memberId },
    query: { limit: perPage, cursor },
  })
  return (
    <Panel title={title} note="Role changes and sign-ins." flush>
      <QueryResult of={history} loading={<Skeleton rows={3} />}>
        {({ data, nextCursor }) => (
          <>
            <DataTable
              label={title}
              rows={data}
              rowKey={({ id }) => id}
              columns={columns}
              groupOf={({ at }) => dayText(at)}
              isDense
              empty={
                <Empty title="Nothing in the last 30 days">
                  No role changes and no sign-ins are recorded.
                </Empty>
              }
            />
            <CursorPager next={nextCursor} />
          </>
        )}
      </QueryResult>
    </Panel>
  )
}

const columns: readonly Column<MemberHistoryEntry>[] = [
  { header: 'Time', cell: ({ at }) => <Time at={at} show="clock" /> },
  { header: 'What', cell: (entry) => <What entry={entry} /> },
  {
    header: 'Server',
    cell: ({ server }) =>
      server && (
        <Link to="/servers/$id" params={{ id: server.id }}>
          <bdi>{server.name}</bdi>
        </Link>
      ),
  },
]

/** Says what happened, with a link to the role or the project. */
function What({ entry: { kind, role, server, project } }: { entry: MemberHistoryEntry }) {
  if (kind === 'signed_in') {
    return (
      <span>
        Signed in to{' '}
        {project ? (
          <Link to="/projects/$id" params={{ id: project.id }}>
            <bdi>{project.name}</bdi>
          </Link>
        ) : (
          'the console'
        )}
      </span>
    )
  }
  return (
    <span>
      {kind === 'role_added' ? 'Received' : 'Lost'} <Role role={role} serverId={server?.id} />
    </span>
  )
}

interface RoleProps {
  readonly role: MemberHistoryEntry['role']
  readonly serverId: string | undefined
}

/** A role with a link to the members who have it. For a deleted role, only its ID. */
function Role({ role, serverId }: RoleProps) {
  if (!role) return null
  if (role.name === null) {
    return (
      <>
        the deleted role <code>{role.id}</code>
      </>
    )
  }
  return (
    <Link to="/members" search={{ server: serverId ?? '', roles: role.id }}>
      <RoleChip name={role.name} color={role.color} />
    </Link>
  )
}
