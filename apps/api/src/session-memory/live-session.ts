import type { Answers } from './answers.ts'
import { type SessionAt, sessionAt } from './session.ts'

/**
 * A session that is live at this moment: from memory as long as the lease vouches for it, else from the database.
 * Whoever lets somebody in by a session asks this, so it is as good for one as for the other, on every instance.
 */
export async function liveSession(
  answers: Pick<Answers, 'goodAtMs' | 'session' | 'read'>,
  tokenDigest: string,
): Promise<SessionAt | undefined> {
  const nowMs = answers.goodAtMs()
  const kept = nowMs === undefined ? undefined : answers.session(tokenDigest)
  if (kept && nowMs !== undefined && kept.expiresAtMs > nowMs) return sessionAt(kept, nowMs)
  return readSession(answers, tokenDigest)
}

/** The same from the database, also what was written a moment ago. */
export async function readSession(
  answers: Pick<Answers, 'read'>,
  tokenDigest: string,
): Promise<SessionAt | undefined> {
  const { session, nowMs } = await answers.read({ keyDigest: '', tokenDigest })
  return session && sessionAt(session, nowMs)
}
