import type { MemberServers } from '@rolecall/sdk/admin'
import { Link } from '@tanstack/react-router'
import { useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { RoleChip } from '../../components/chip.tsx'
import { Copyable } from '../../components/copy.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Facts, Panel } from '../../components/page.tsx'
import { Empty, Problem } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useToast } from '../../components/toast.tsx'
import { useMayChange } from '../../shell/profile.ts'
import { BlockPanel } from './block-panel.tsx'
import { fieldLabels, listedFields } from './field-labels.ts'
import { MemberPage } from './member-page.tsx'

export const Page = () => <MemberPage>{(member) => <Overview member={member} />}</MemberPage>

function Overview({ member }: { member: MemberServers }) {
  const { memberId, isClubMember, servers } = member
  const mayChange = useMayChange()
  return (
    <div className="stack">
      <div className="columns">
        <Panel title="Member" actions={mayChange && <Refresh memberId={memberId} />}>
          <Facts
            of={[
              ...listedFields.map((name) => [fieldLabels[name], member[name] ?? 'None'] as const),
              ['Id', <Copyable key="id" text={memberId} />],
              ['In the main server', isClubMember ? 'Yes' : 'No'],
            ]}
          />
        </Panel>
        <BlockPanel member={member} />
      </div>
      <Panel title="Servers and roles" note="As the service knows them now." flush>
        <DataTable
          label="Servers and roles"
          rows={servers}
          rowKey={({ serverId }) => serverId}
          columns={[
            {
              header: 'Server',
              cell: ({ serverId, serverName, isMainServer }) => (
                <Link to="/servers/$id" params={{ id: serverId }}>
                  {serverName}
                  {isMainServer && ' (main)'}
                </Link>
              ),
            },
            {
              header: 'Roles',
              cell: ({ roles }) => (
                <span className="chips">
                  {roles.map(({ id, name, color }) => (
                    <RoleChip key={id} name={name} color={color} />
                  ))}
                </span>
              ),
            },
            {
              header: 'Joined',
              cell: ({ joinedAt }) => <Time at={joinedAt} never="unknown" />,
              align: 'end',
            },
          ]}
          empty={
            <Empty title="In no server">The member has left every server that is registered here.</Empty>
          }
        />
      </Panel>
    </div>
  )
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
            { onSuccess: () => say('Read from the chat platform again.') },
          )
        }
      >
        Read again
      </Button>
      {refresh.error && <Problem error={refresh.error} />}
    </>
  )
}
