import type { ChatServer } from '@rolecall/sdk/admin'
import { useState } from 'react'
import { useApiQuery, useChange } from '../../api/queries.ts'
import { Button, ButtonAnchor } from '../../components/button.tsx'
import { Status } from '../../components/chip.tsx'
import { Copyable } from '../../components/copy.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { CloseButton, Dialog, DialogActions } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { Num } from '../../components/number.tsx'
import { Page as PageFrame } from '../../components/page.tsx'
import { Portrait } from '../../components/portrait.tsx'
import { Empty, Notice, Problem, QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useToast } from '../../components/toast.tsx'
import { useNavigateFromHere } from '../../components/use-navigate-from-here.ts'
import { useMayChange } from '../../shell/profile.ts'
import { syncStateOf } from './sync-state.ts'

const columns: readonly Column<ChatServer>[] = [
  {
    header: 'Server',
    cell: ({ name, icon }) => (
      <span className="with-portrait">
        <Portrait of={icon} name={name} />
        <bdi>{name}</bdi>
      </span>
    ),
    sortBy: ({ name }) => name,
  },
  { header: 'ID', cell: ({ id }) => <Copyable text={id} /> },
  { header: 'Kind', cell: ({ isMain }) => isMain && <Status tone="good">Main server</Status> },
  {
    header: 'Members',
    cell: ({ memberCount }) => <Num value={memberCount} />,
    align: 'end',
    sortBy: ({ memberCount }) => memberCount,
  },
  {
    header: 'Members read',
    cell: ({ lastSync }) => {
      const { tone, text } = syncStateOf(lastSync)
      return <Status tone={tone}>{text}</Status>
    },
  },
  {
    header: 'Roles read',
    cell: ({ rolesSyncedAt }) => <Time at={rolesSyncedAt} />,
    sortBy: ({ rolesSyncedAt }) => rolesSyncedAt,
    align: 'end',
  },
]

/** The list of the Discord servers that are registered with the service. */
export function Page() {
  const servers = useApiQuery('listServers')
  const mayChange = useMayChange()
  const [isAdding, setAdding] = useState(false)
  const add = mayChange && (
    <Button kind="main" onClick={() => setAdding(true)}>
      <Icon name="plus" size={14} />
      Add server{' '}
    </Button>
  )
  return (
    <PageFrame
      title="Servers"
      guide="discord"
      lead="Members of these servers can sign in. The roles of the main server decide who is an administrator."
      actions={add}
    >
      <QueryResult of={servers}>
        {({ data }) => (
          <DataTable
            label="Servers"
            columns={columns}
            rows={data}
            rowKey={({ id }) => id}
            rowLink={({ id }) => `/servers/${id}`}
            empty={
              <Empty title="No servers yet" action={add}>
                Invite the bot to a Discord server, then add the server here.
              </Empty>
            }
          />
        )}
      </QueryResult>
      <Dialog title="Add server" isOpen={isAdding} onClose={() => setAdding(false)}>
        <AddServer onClose={() => setAdding(false)} />
      </Dialog>
    </PageFrame>
  )
}

/**
 * A dialog that registers a server in which the bot already is. For other servers, it has the bot's invitation link.
 */
function AddServer({ onClose }: { onClose: () => void }) {
  const bot = useApiQuery('getBot')
  const add = useChange('addServer')
  const navigate = useNavigateFromHere()
  const say = useToast()
  const choose = (id: string) =>
    add.mutate(
      { body: { id } },
      {
        onSuccess: ({ name }) => {
          onClose()
          say(`“${name}” is added. Next, read its members.`)
          void navigate({ to: '/servers/$id', params: { id } })
        },
      },
    )
  return (
    <div className="stack">
      <QueryResult of={bot}>
        {({ servers, inviteUrl, name, mayListMembers }) => {
          const others = servers.filter(({ isRegistered }) => !isRegistered)
          return (
            <div className="stack">
              {!mayListMembers && (
                <Notice tone="warn" title="The bot is not allowed to list members">
                  Turn on “Server Members Intent” in the Discord developer portal, under Bot.
                </Notice>
              )}
              {others.length === 0 ? (
                <p>
                  <bdi>{name}</bdi> is in no other server. Invite it to a server, and the server appears here.
                </p>
              ) : (
                <ul className="server-list" aria-label="Servers with the bot">
                  {others.map((server) => (
                    <li key={server.id} className="row apart">
                      <span className="with-portrait">
                        <Portrait of={server.icon} name={server.name} />
                        <bdi>{server.name}</bdi>
                      </span>
                      <Button
                        size="small"
                        isBusy={add.isPending}
                        aria-label={`Add ${server.name}`}
                        onClick={() => choose(server.id)}
                      >
                        Add
                      </Button>
                    </li>
                  ))}
                </ul>
              )}
              <DialogActions isBusy={add.isPending}>
                <ButtonAnchor href={inviteUrl} target="_blank" rel="noreferrer">
                  Invite the bot to a server
                </ButtonAnchor>
                <CloseButton />
              </DialogActions>
            </div>
          )
        }}
      </QueryResult>
      {add.error && <Problem error={add.error} />}
    </div>
  )
}
