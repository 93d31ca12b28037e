import type { MemberServers, MemberSession } from '@rolecall/sdk/admin'
import { useApiQuery, useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EndSessions } from '../../components/end-sessions.tsx'
import { Panel } from '../../components/page.tsx'
import { useSelection } from '../../components/selection.ts'
import { Empty, Problem, QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useToast } from '../../components/toast.tsx'
import { useMayChange } from '../../shell/profile.ts'
import { EndAllSessions } from './end-all-sessions.tsx'
import { MemberPage } from './member-page.tsx'
import { sessionPlace } from './session-place.ts'

/** The tab with the live sessions of a member, which an administrator can end. */
export const Page = () => <MemberPage>{(member) => <Sessions member={member} />}</MemberPage>

function Sessions({ member }: { member: MemberServers }) {
  const { memberId } = member
  const sessions = useApiQuery('listMemberSessions', { params: { id: memberId } })
  const end = useChange('revokeMemberSession')
  const mayChange = useMayChange()
  const all = sessions.data?.sessions ?? []
  const selection = useSelection(all, ({ id }) => id)
  const say = useToast()
  const columns: readonly Column<MemberSession>[] = [
    { header: 'Where', cell: sessionPlace, sortBy: sessionPlace },
    {
      header: 'Browser',
      cell: ({ clientInfo: { ipAddress, userAgent } }) => (
        <>
          {ipAddress ?? 'Unknown address'}
          {userAgent && (
            <span className="cell-sub nowrap" title={userAgent}>
              {userAgent}
            </span>
          )}
        </>
      ),
    },
    {
      header: 'Since',
      cell: ({ createdAt }) => <Time at={createdAt} />,
      sortBy: ({ createdAt }) => createdAt,
    },
    {
      header: 'Until',
      cell: ({ expiresAt }) => <Time at={expiresAt} />,
      sortBy: ({ expiresAt }) => expiresAt,
    },
    {
      header: '',
      align: 'end',
      cell: (session) =>
        mayChange && (
          <Button
            size="small"
            kind="danger"
            aria-label={`End ${sessionPlace(session)}`}
            onClick={() =>
              end.mutate(
                { params: { id: memberId, sessionId: session.id } },
                { onSuccess: () => say(`${sessionPlace(session)}: ended.`) },
              )
            }
          >
            End
          </Button>
        ),
    },
  ]
  return (
    <div className="stack">
      {end.error && <Problem error={end.error} />}
      <Panel
        title="Sessions"
        note="All sessions of this member. An ended session stops working immediately."
        flush
        actions={all.length > 0 && <EndAllSessions member={member} />}
      >
        <EndSessions
          selection={selection}
          describe={(session) => ({
            id: session.id,
            memberId,
            name: rowName(session),
            effect: 'Ends with the next request.',
          })}
        />
        <QueryResult of={sessions}>
          {({ sessions: rows }) => (
            <DataTable
              label="Sessions"
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              rowName={rowName}
              selection={mayChange ? selection : undefined}
              empty={<Empty title="No sessions">Sessions appear when the member signs in to a site.</Empty>}
            />
          )}
        </QueryResult>
      </Panel>
    </div>
  )
}

/** Returns a name for a session that distinguishes it from other sessions in the same place. */
const rowName = (session: MemberSession) =>
  `${sessionPlace(session)}, ${session.clientInfo.ipAddress ?? 'Unknown address'}`
