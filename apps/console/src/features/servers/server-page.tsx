import type { AdminAnswer, ChatServer } from '@rolecall/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../api/admin.ts'
import { question, useApiQuery, useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { RoleChip, Status } from '../../components/chip.tsx'
import { Copyable } from '../../components/copy.tsx'
import { Danger } from '../../components/danger.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Num, numberText } from '../../components/number.tsx'
import { Facts, Page as PageFrame, Panel } from '../../components/page.tsx'
import { Empty, Notice, Problem, QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useToast } from '../../components/toast.tsx'
import { useNavigateFromHere } from '../../components/use-navigate-from-here.ts'
import { useMayChange } from '../../shell/profile.ts'

const followMs = 1_000

type Role = AdminAnswer<'listRoles'>['data'][number]

/** One server: its members, its roles, and its actions. */
export function Page() {
  const { id = '' } = useParams({ strict: false })
  const servers = useQuery({
    ...question('listServers'),
    // Polls while the members are being read, because the numbers change then.
    refetchInterval: ({ state }) => (isReading(find(state.data, id)) ? followMs : false),
  })
  const server = find(servers.data, id)
  return (
    <PageFrame
      title={server?.name ?? 'Server'}
      guide="discord"
      up={{ to: '/servers', text: 'Servers' }}
      id={id}
      actions={server?.isMain && <Status tone="good">Main server</Status>}
    >
      <QueryResult of={servers}>
        {() =>
          server ? (
            <Server server={server} />
          ) : (
            <Empty title="This server is not registered">It may have been removed.</Empty>
          )
        }
      </QueryResult>
    </PageFrame>
  )
}

const find = (list: { readonly data: readonly ChatServer[] } | undefined, id: string) =>
  list?.data.find((one) => one.id === id)

const isReading = (server: ChatServer | undefined) => server?.lastSync?.status === 'running'

function Server({ server }: { server: ChatServer }) {
  const mayChange = useMayChange()
  return (
    <div className="stack">
      <div className="columns">
        <Panel title="Server">
          <Facts
            of={[
              [
                'Members',
                <Link key="members" to="/members" search={{ server: server.id }}>
                  <Num value={server.memberCount} />
                </Link>,
              ],
              ['Roles read', <Time key="roles" at={server.rolesSyncedAt} />],
              ['Registered', <Time key="created" at={server.createdAt} show="full" />],
            ]}
          />
        </Panel>
        <Reading server={server} />
      </div>
      <Roles serverId={server.id} />
      {mayChange && <DangerZone server={server} />}
    </div>
  )
}

function Reading({ server }: { server: ChatServer }) {
  const { id, lastSync, memberCount } = server
  const sync = useChange('syncServer')
  const mayChange = useMayChange()
  const isBusy = sync.isPending || isReading(server)
  return (
    <Panel
      title="Members"
      note="Roles and members update automatically. Read all members to find missed changes."
      actions={
        mayChange && (
          <Button isBusy={isBusy} onClick={() => sync.mutate({ params: { id } })}>
            Read all members
          </Button>
        )
      }
    >
      <div className="stack tight">
        {sync.error && <Problem error={sync.error} />}
        {lastSync?.status === 'running' && (
          <>
            <progress
              aria-label="Members read"
              value={lastSync.seen}
              max={Math.max(memberCount, lastSync.seen, 1)}
            />
            <span role="status">{numberText(lastSync.seen)} read so far</span>
          </>
        )}
        {lastSync?.status === 'failed' && (
          <Notice tone="bad" title="The last sync failed">
            {lastSync.problem}
          </Notice>
        )}
        {lastSync ? (
          <Facts
            of={[
              ['Started', <Time key="begun" at={lastSync.startedAt} />],
              ['Finished', <Time key="ended" at={lastSync.finishedAt} never="not yet" />],
              ['Read', <Num key="seen" value={lastSync.seen} />],
              ['Added or changed', <Num key="changed" value={lastSync.changed} />],
              ['Removed', <Num key="left" value={lastSync.ended} />],
            ]}
          />
        ) : (
          <p className="quiet">Not read yet. Only members who have signed in are known.</p>
        )}
      </div>
    </Panel>
  )
}

function Roles({ serverId }: { serverId: string }) {
  const roles = useApiQuery('listRoles', { params: { id: serverId } })
  const columns: readonly Column<Role>[] = [
    {
      header: 'Role',
      cell: ({ name, color }) => <RoleChip name={name} color={color} />,
      sortBy: ({ name }) => name,
    },
    { header: 'ID', cell: ({ id }) => <Copyable text={id} /> },
    { header: 'Color', cell: ({ color }) => <RoleColor color={color} /> },
    {
      header: 'Members',
      align: 'end',
      sortBy: ({ memberCount }) => memberCount,
      cell: ({ id, name, memberCount }) => (
        <Link to="/members" search={{ server: serverId, roles: id }}>
          <Num value={memberCount} />
          <span className="unseen">
            {' '}
            with <bdi>{name}</bdi>
          </span>
        </Link>
      ),
    },
  ]
  return (
    <Panel title="Roles" note="Highest first. Copy a role ID to use it in settings or code." flush>
      <QueryResult of={roles}>
        {({ data }) => (
          <DataTable
            label="Roles"
            columns={columns}
            rows={data}
            rowKey={({ id }) => id}
            empty={<Empty title="No roles">The roles appear after the server is read.</Empty>}
          />
        )}
      </QueryResult>
    </Panel>
  )
}

const RoleColor = ({ color }: { color: number | null }) =>
  color ? <code>{`#${color.toString(16).padStart(6, '0')}`}</code> : <span className="quiet">None</span>

function DangerZone({ server }: { server: ChatServer }) {
  const { id, name, isMain } = server
  const navigate = useNavigateFromHere()
  const say = useToast()
  const update = useChange('updateServer')
  const remove = useChange('removeServer')
  const [asked, setAsked] = useState<'flag' | 'remove'>()
  const close = () => setAsked(undefined)
  const flag = isMain ? 'Remove the main flag' : 'Make this the main server'
  return (
    <Panel title="Danger zone" kind="danger">
      <div className="stack">
        <div className="row apart">
          <span>
            {isMain
              ? 'The roles of the main server decide who is an administrator. Remove the flag before you make another server the main server.'
              : 'There is only one main server. Its roles decide who is an administrator.'}
          </span>
          <Button kind="danger" onClick={() => setAsked('flag')}>
            {flag}…
          </Button>
        </div>
        <div className="row apart">
          <span>
            Its sessions end immediately, and its members leave the lists. You can add the server again.
          </span>
          <Button kind="danger" onClick={() => setAsked('remove')}>
            Remove…
          </Button>
        </div>
      </div>
      <Danger
        action={flag}
        question={`${flag}: “${name}”?`}
        isOpen={asked === 'flag'}
        onClose={close}
        name={name}
        preview={async () => {
          const answer = await ask('updateServer', {
            params: { id },
            query: { dryRun: true },
            body: { isMain: !isMain },
          })
          return 'dryRun' in answer ? answer : undefined
        }}
        run={async () => {
          await update.mutateAsync({ params: { id }, body: { isMain: !isMain } })
          say(isMain ? `“${name}” is no longer the main server.` : `“${name}” is the main server.`)
        }}
      />
      <Danger
        action="Remove server"
        question={`Remove “${name}”?`}
        isOpen={asked === 'remove'}
        onClose={close}
        name={name}
        preview={async () => ask('removeServer', { params: { id }, query: { dryRun: true } })}
        run={async () => {
          await remove.mutateAsync({ params: { id }, query: {} })
          await navigate({ to: '/servers' })
          say(`“${name}” is removed.`)
        }}
      />
    </Panel>
  )
}
