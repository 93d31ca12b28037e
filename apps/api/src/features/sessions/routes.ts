import { memberSessions, projectSessions, sessions } from '@rolecall/contract'
import { Answer } from '#platform/http/answer'
import { readIp, readUserAgent } from '#platform/http/client-info'
import type { Router } from '#platform/http/router'
import { by, type Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { countSessionsOfMember, signMemberOut } from './end-every-session.ts'
import { exchangeCode } from './exchange-code.ts'
import type { SessionChanges } from './gathered-changes.ts'
import { logout, logoutAll } from './logout.ts'
import { listMemberSessions, revokeMemberSession } from './member-sessions.ts'
import { listSessions, revokeAllSessions, revokeSession } from './own-sessions.ts'
import { listProjectSessions } from './project-sessions.ts'
import { detectReuseAfterFailedAuth, refreshSession } from './refresh-session.ts'
import { validate, validateFromMemory } from './validate.ts'

/** Registers the session endpoints for projects, for members, and for administrators. */
export function sessionRoutes({ route, routeRaw }: Router<Callers>, deps: Deps & SessionChanges) {
  route(sessions.exchangeCode, ({ caller, body, client, raw: { headers } }) => {
    const ip = readIp(headers['x-client-ip'])
    const userAgent = readUserAgent(headers['x-client-user-agent'])
    return exchangeCode(deps, caller, { ...body, forwarded: { ip, userAgent }, client })
  })
  routeRaw(
    sessions.validateSession,
    (request) => validate(deps, request),
    (request, body) => validateFromMemory(deps, request, body),
  )
  route(
    sessions.refreshSession,
    ({ caller, body, client, raw }) =>
      refreshSession(deps, caller, {
        refreshToken: body.refreshToken,
        cookie: raw.headers.cookie,
        client,
      }),
    // Runs if the authentication fails: the session token of a used pair is unknown, so only the refresh token shows
    // that the pair was used before.
    (request, refusal) => detectReuseAfterFailedAuth(deps, request, refusal),
  )
  route(sessions.logout, ({ caller, body }) => logout(deps, caller, body.token))
  route(sessions.logoutAll, ({ caller, body }) => logoutAll(deps, caller, body.memberId))
  route(sessions.listSessions, ({ caller }) => listSessions(deps, caller))
  route(sessions.revokeSession, ({ caller, params, client }) =>
    revokeSession(deps, caller, { sessionId: params.sessionId, client }),
  )
  route(sessions.revokeAllSessions, ({ caller, client }) => revokeAllSessions(deps, caller, client))
  route(memberSessions.listMemberSessions, ({ params }) => listMemberSessions(deps, params.id))
  route(memberSessions.revokeMemberSession, (request) =>
    revokeMemberSession(deps, by(request), request.params),
  )
  route(sessions.endMemberSessions, async (request) => {
    const { id } = request.params
    if (request.query.dryRun) return countSessionsOfMember(deps, id)
    await signMemberOut(deps, by(request), id)
    return new Answer(204)
  })
  route(projectSessions.listProjectSessions, ({ params, query }) =>
    listProjectSessions(deps, params.id, query),
  )
}
