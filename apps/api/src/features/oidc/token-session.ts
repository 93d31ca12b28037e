import { shownName } from '#member/shown-name'
import { memberTerms } from '#mirror/freshness'
import { digestOfTokenless } from '#platform/crypto/tokens'
import type { ClaimedMember } from '#responses/oidc-claims'
import { liveSession, readSession } from '#session-memory/live-session'
import { type Session, type SessionAt, toResponseJson } from '#session-memory/session'
import { freshestRoles } from '../../checks/freshest-roles.ts'
import type { Deps } from '../../deps.ts'

type SessionDeps = Pick<Deps, 'answers' | 'settings' | 'refreshMember'>

/**
 * Returns the session of a client's token, or undefined if it is not live. Every use of a token calls this, so a token
 * is valid only while its session is live.
 */
export const sessionOfToken = (
  { answers }: Pick<Deps, 'answers'>,
  sessionId: string,
): Promise<SessionAt | undefined> => liveSession(answers, digestOfTokenless(sessionId))

/** A member and their session, with roles that are as fresh as those of `validate`. */
export interface LiveMember extends ClaimedMember {
  readonly session: Session
}

/**
 * Returns the member of a session with their current roles. Returns undefined if the session has ended.
 *
 * @throws CHAT_PLATFORM_UNAVAILABLE if the roles are too old, and Discord does not respond
 */
export async function memberOfToken(deps: SessionDeps, sessionId: string): Promise<LiveMember | undefined> {
  const first = await sessionOfToken(deps, sessionId)
  if (!first) return undefined
  const { serverId, memberId } = first.session
  const { known, source } = await freshestRoles({
    known: first,
    terms: memberTerms(deps.settings.current().permissionTtlMs),
    refresh: () => deps.refreshMember(serverId, memberId),
    reread: () => readSession(deps.answers, digestOfTokenless(sessionId)),
  })
  if (!known) return undefined
  return liveMember(known.session, toResponseJson(known, source))
}

/** Builds the member of a session from `response`, the text that `validate` returns for the session. */
export function liveMember(session: Session, response: string): LiveMember {
  const read = JSON.parse(response) as Omit<LiveMember, 'session' | 'name'>
  return { ...read, name: shownName(read.member), session }
}
