import type { Project, ProjectSession } from '@rolecall/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../api/admin.ts'
import { question, useApiQuery, useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { byId, Choice } from '../../components/choice.tsx'
import { CursorPager } from '../../components/cursor-pager.tsx'
import { Danger } from '../../components/danger.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EndSessions } from '../../components/end-sessions.tsx'
import { Panel } from '../../components/page.tsx'
import { Portrait } from '../../components/portrait.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { useSelection } from '../../components/selection.ts'
import { Empty, Problem, QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFilters } from '../../components/use-filters.ts'
import { useMayChange, useMayRead } from '../../shell/profile.ts'
import { ProjectPage } from './project-page.tsx'

/** The tab with the live sessions of a project. */
export const Page = () => <ProjectPage>{(project) => <Sessions project={project} />}</ProjectPage>

/** The sessions of the project. Only System Admins and auditors can see addresses and browsers of members. */
const Sessions = ({ project }: { project: Project }) =>
  useMayRead() ? (
    <List project={project} />
  ) : (
    <Panel>
      <Empty title="Sessions are for System Admins">
        Ask one of them, or set up events to notify your backend of ended sessions.
      </Empty>
    </Panel>
  )

const kinds = { code: 'One-time code', oidc: 'OpenID Connect' } as const
/** The interval of polling, in milliseconds. The event stream does not report sign-ins of members. */
const readAgainMs = 15_000

const nameOf = ({ displayName, globalName, username }: ProjectSession) =>
  displayName ?? globalName ?? username

function List({ project }: { project: Project }) {
  const [{ member = '', server = '', cursor }, setFilters] = useFilters()
  const sessions = useQuery({
    ...question('listProjectSessions', {
      params: { id: project.id },
      query: { memberId: idOf(member), serverId: server || undefined, cursor, limit: 50 },
    }),
    refetchInterval: readAgainMs,
  })
  const servers = useApiQuery('listServers')
  const mayChange = useMayChange()
  const selection = useSelection(sessions.data?.data ?? [], ({ id }) => id)
  const end = useChange('revokeMemberSession')
  const endAll = useChange('endMemberSessions')
  const say = useToast()
  const [ending, setEnding] = useState<ProjectSession>()
  const narrow = (changes: Record<string, string>) => setFilters({ ...changes, cursor: '' })
  const columns: readonly Column<ProjectSession>[] = [
    {
      header: 'Member',
      cell: (session) => (
        <span className="with-portrait">
          <Portrait of={session.avatar} name={nameOf(session)} />
          <span>
            <Link to="/members/$id/sessions" params={{ id: session.memberId }}>
              <bdi>{nameOf(session)}</bdi>
            </Link>
            <bdi className="cell-sub">{session.username}</bdi>
          </span>
        </span>
      ),
    },
    { header: 'Server', cell: ({ serverName }) => <bdi>{serverName}</bdi> },
    {
      header: 'Browser',
      cell: ({ kind, clientInfo: { ipAddress, userAgent } }) => (
        <>
          {ipAddress ?? 'Unknown address'}
          <span className="cell-sub nowrap" title={userAgent ?? undefined}>
            {[kinds[kind], userAgent].filter(Boolean).join(' · ')}
          </span>
        </>
      ),
    },
    { header: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { header: 'Refreshed', cell: ({ refreshedAt }) => <Time at={refreshedAt} /> },
    {
      header: '',
      align: 'end',
      cell: (session) =>
        mayChange && (
          <span className="row">
            <Button
              size="small"
              aria-label={`End this session of ${nameOf(session)}`}
              onClick={() =>
                end.mutate(
                  { params: { id: session.memberId, sessionId: session.id } },
                  { onSuccess: () => say(`A session of ${nameOf(session)} has ended.`) },
                )
              }
            >
              End
            </Button>
            <Button
              size="small"
              kind="danger"
              aria-label={`End all sessions of ${nameOf(session)}`}
              onClick={() => setEnding(session)}
            >
              End all…
            </Button>
          </span>
        ),
    },
  ]
  return (
    <div className="stack">
      {end.error && <Problem error={end.error} />}
      <Panel
        title="Sessions"
        note="Active sessions of this project, newest first. An ended session stops working immediately."
        flush
        actions={
          <>
            <SearchField label="Member ID" value={member} onSearch={(text) => narrow({ member: text })} />
            <Choice
              label="Server"
              value={server}
              options={byId(servers.data?.data)}
              all="Every server"
              onChoose={(chosen) => narrow({ server: chosen })}
            />
          </>
        }
      >
        {member.trim() !== '' && idOf(member) === undefined && (
          <p className="field-problem panel-toolbar" role="status">
            That is not a valid member ID, so the list is not filtered. IDs have 17 to 20 digits.
          </p>
        )}
        <EndSessions
          selection={selection}
          describe={(session) => ({
            id: session.id,
            memberId: session.memberId,
            name: nameOf(session),
            effect: `Signed out of “${project.name}” in ${session.serverName} with the next request.`,
          })}
        />
        <QueryResult of={sessions}>
          {({ data, nextCursor }) => (
            <>
              <DataTable
                label="Sessions"
                columns={columns}
                rows={data}
                rowKey={({ id }) => id}
                rowName={nameOf}
                selection={mayChange ? selection : undefined}
                empty={
                  idOf(member) || server ? (
                    <Empty title="No sessions match">Choose every server, or clear the member ID.</Empty>
                  ) : (
                    <Empty title="No sessions">Sessions appear when members sign in.</Empty>
                  )
                }
              />
              <CursorPager next={nextCursor} />
            </>
          )}
        </QueryResult>
      </Panel>
      {ending && (
        <Danger
          action="End all sessions"
          question={`End all sessions of ${nameOf(ending)} in all projects?`}
          isOpen
          onClose={() => setEnding(undefined)}
          preview={async () => {
            const params = { id: ending.memberId }
            return (await ask('endMemberSessions', { params, query: { dryRun: true } })) ?? undefined
          }}
          run={async () => {
            await endAll.mutateAsync({ params: { id: ending.memberId }, query: {} })
            say(`${nameOf(ending)} is signed out everywhere.`)
          }}
        >
          They can sign in again. To prevent that, block them.
        </Danger>
      )}
    </div>
  )
}

/** Returns the typed text if it is a complete member ID. Undefined otherwise. */
const idOf = (typed: string) => (/^\d{17,20}$/.test(typed.trim()) ? typed.trim() : undefined)
