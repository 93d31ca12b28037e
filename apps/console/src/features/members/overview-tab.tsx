import type { MemberServers } from '@rolecall/sdk/admin'
import { Link } from '@tanstack/react-router'
import { useApiQuery, useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { RoleChip, Status } from '../../components/chip.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { memberFacts } from '../../components/member-facts.tsx'
import { Facts, Panel } from '../../components/page.tsx'
import { Empty, Problem } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useToast } from '../../components/toast.tsx'
import { useMayChange } from '../../shell/profile.ts'
import { BlockPanel } from './block-panel.tsx'
import { HistoryPanel } from './history-panel.tsx'
import { MemberPage } from './member-page.tsx'
import { type MemberSessions, SignedInTo } from './signed-in-to.tsx'

/** The first tab of a member: their names, servers, roles, and sessions, and whether they are blocked. */
export const Page = () => <MemberPage>{(member) => <Overview member={member} />}</MemberPage>

function Overview({ member }: { member: MemberServers }) {
  const { memberId, isClubMember, servers } = member
  const mayChange = useMayChange()
  const sessions = useApiQuery('listMemberSessions', { params: { id: memberId } })
  const [joined] = servers
  return (
    <div className="stack">
      <div className="columns">
        <Panel title="Member" actions={mayChange && <Refresh memberId={memberId} />}>
          <Facts
            of={[
              ...memberFacts(member),
              ['In the main server', isClubMember ? 'Yes' : 'No'],
              ['Joined', <Time key="joined" at={joined?.joinedAt} never="Unknown" show="both" />],
              ['Last sign-in', <LastSignIn key="last" of={sessions} />],
            ]}
          />
        </Panel>
        <BlockPanel member={member} />
      </div>
      <SignedInTo memberId={memberId} sessions={sessions} />
      <Panel title="Servers and roles" flush>
        <DataTable
          label="Servers and roles"
          rows={servers}
          rowKey={({ serverId }) => serverId}
          columns={[
            {
              header: 'Server',
              cell: ({ serverId, serverName, isMainServer }) => (
                <Link to="/servers/$id" params={{ id: serverId }}>
                  <bdi>{serverName}</bdi>
                  {isMainServer && ' (main)'}
                </Link>
              ),
            },
            {
              header: 'Roles',
              cell: ({ serverId, roles }) => (
                <span className="chips">
                  {roles.map(({ id, name, color }) => (
                    <Link key={id} to="/members" search={{ server: serverId, roles: id }}>
                      <RoleChip name={name} color={color} />
                    </Link>
                  ))}
                </span>
              ),
            },
            {
              header: 'Roles as of',
              cell: ({ areRolesLive, rolesAsOf }) =>
                areRolesLive ? <Status tone="good">Live</Status> : <Time at={rolesAsOf} />,
            },
            {
              header: 'Joined',
              cell: ({ joinedAt }) => <Time at={joinedAt} never="unknown" />,
              align: 'end',
            },
          ]}
          empty={<Empty title="In no server">This member has left every registered server.</Empty>}
        />
      </Panel>
      <HistoryPanel memberId={memberId} />
    </div>
  )
}

/** The last sign-in of a member, taken from their newest live session. */
const LastSignIn = ({ of: { data, error } }: { of: MemberSessions }) => {
  if (!data) return <span className="quiet">{error ? 'Unknown' : '…'}</span>
  return <Time at={data.sessions[0]?.createdAt} never="No current session" show="both" />
}

function Refresh({ memberId }: { memberId: string }) {
  const refresh = useChange('refreshMember')
  const say = useToast()
  return (
    <>
      <Button
        isBusy={refresh.isPending}
        onClick={() =>
          refresh.mutate(
            { params: { chat_user_id: memberId } },
            { onSuccess: () => say('Read again from Discord.') },
          )
        }
      >
        Read again
      </Button>
      {refresh.error && <Problem error={refresh.error} />}
    </>
  )
}
