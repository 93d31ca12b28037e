import type { AdminAnswer } from '@rolecall/sdk/admin'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { countText } from '../../components/number.tsx'
import { Panel } from '../../components/page.tsx'
import { QueryResult, Skeleton } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { sessionPlace } from './session-place.ts'

export type MemberSessions = UseQueryResult<AdminAnswer<'listMemberSessions'>>

/** The maximum number of sessions. The tab Sessions has all of them. */
const maxShown = 5

/** Lists the newest sessions of a member, each with its project. */
export const SignedInTo = ({ memberId, sessions }: { memberId: string; sessions: MemberSessions }) => (
  <Panel
    title="Signed in to"
    actions={
      <Link to="/members/$id/sessions" params={{ id: memberId }}>
        {sessions.data ? countText(sessions.data.sessions.length, 'session') : 'Sessions'}
      </Link>
    }
  >
    <QueryResult of={sessions} loading={<Skeleton rows={2} height={20} />}>
      {({ sessions: all }) =>
        all.length === 0 ? (
          <p className="quiet">No current sessions.</p>
        ) : (
          <ul className="stack tight" aria-label="Current sessions">
            {all.slice(0, maxShown).map((session) => (
              <li key={session.id} className="row apart">
                {session.projectId === null ? (
                  <bdi>{sessionPlace(session)}</bdi>
                ) : (
                  <Link to="/projects/$id" params={{ id: session.projectId }}>
                    <bdi>{sessionPlace(session)}</bdi>
                  </Link>
                )}
                <span className="quiet">
                  since <Time at={session.createdAt} />
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </QueryResult>
  </Panel>
)
