import type { Answers } from './answers.ts'
import { type SessionAt, sessionAt } from './session.ts'

/**
 * Returns a session that is live at this moment: from memory while the lease vouches for it, else from the database.
 * All access by session goes through this function, so it applies equally on every instance.
 */
export async function liveSession(
  answers: Pick<Answers, 'leasedNowMs' | 'session' | 'read'>,
  tokenDigest: string,
): Promise<SessionAt | undefined> {
  const nowMs = answers.leasedNowMs()
  const kept = nowMs === undefined ? undefined : answers.session(tokenDigest)
  if (kept && nowMs !== undefined && kept.expiresAtMs > nowMs) return sessionAt(kept, nowMs)
  return readSession(answers, tokenDigest)
}

/** Returns the same from the database, including the latest writes. */
export async function readSession(
  answers: Pick<Answers, 'read'>,
  tokenDigest: string,
): Promise<SessionAt | undefined> {
  const { session, nowMs } = await answers.read({ keyDigest: '', tokenDigest })
  return session && sessionAt(session, nowMs)
}
