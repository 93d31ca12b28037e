import type { MemberServers, MemberSession } from '@rolecall/sdk/admin'
import { useState } from 'react'
import { ask } from '../../api/admin.ts'
import { useAnswer, useChange } from '../../api/queries.ts'
import { leave } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Danger } from '../../components/danger.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/page.tsx'
import { Answer, Empty, Problem } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useToast } from '../../components/toast.tsx'
import { useMayChange, useProfile } from '../../shell/profile.ts'
import { MemberPage, nameOf } from './member-page.tsx'

export const Page = () => <MemberPage>{(member) => <Sessions member={member} />}</MemberPage>

const kinds = { admin: 'The administration', sso: 'Single sign-on of a browser' } as const

const whereOf = ({ kind, projectName }: MemberSession) =>
  kind === 'project' ? (projectName ?? 'A project') : kinds[kind]

function Sessions({ member }: { member: MemberServers }) {
  const { memberId } = member
  const sessions = useAnswer('listMemberSessions', { params: { id: memberId } })
  const end = useChange('revokeMemberSession')
  const endAll = useChange('endMemberSessions')
  const mayChange = useMayChange()
  const isOwn = useProfile().id === memberId
  const say = useToast()
  const [isAsking, setAsking] = useState(false)
  const columns: readonly Column<MemberSession>[] = [
    { header: 'Where', cell: whereOf },
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
    { header: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { header: 'Until', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      header: '',
      align: 'end',
      cell: (session) =>
        mayChange && (
          <Button
            size="small"
            kind="danger"
            aria-label={`End ${whereOf(session)}`}
            onClick={() =>
              end.mutate(
                { params: { id: memberId, sessionId: session.id } },
                { onSuccess: () => say(`${whereOf(session)}: ended.`) },
              )
            }
          >
            End
          </Button>
        ),
    },
  ]
  const all = sessions.data?.sessions ?? []
  return (
    <div className="stack">
      {end.error && <Problem error={end.error} />}
      <Panel
        title="Sessions"
        note="Everything that the member is logged in by. What is ended is gone for the next request."
        flush
        actions={
          mayChange &&
          all.length > 0 && (
            <Button kind="danger" onClick={() => setAsking(true)}>
              End all…
            </Button>
          )
        }
      >
        <Answer of={sessions}>
          {({ sessions: rows }) => (
            <DataTable
              label="Sessions"
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              empty={
                <Empty title="Logged in nowhere">Sessions appear as the member logs in to a site.</Empty>
              }
            />
          )}
        </Answer>
      </Panel>
      <Danger
        action="End all sessions"
        question={`End everything that ${nameOf(member)} is logged in by?`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        preview={async () =>
          (await ask('endMemberSessions', { params: { id: memberId }, query: { dryRun: true } })) ?? undefined
        }
        run={async () => {
          await endAll.mutateAsync({ params: { id: memberId }, query: {} })
          if (isOwn) return leave()
          say(`${nameOf(member)} is logged out everywhere.`)
        }}
      >
        {isOwn
          ? 'This is you: you are logged out of the administration, too, and log in again.'
          : 'They may log in again. To keep them out, block them.'}
      </Danger>
    </div>
  )
}
