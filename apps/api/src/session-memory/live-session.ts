import type { Answers } from './answers.ts'
import { type SessionAt, sessionAt } from './session.ts'

/**
 * Returns the live session of a token, or undefined. Uses the cache while the lease is valid, otherwise the database.
 * Every access by a session goes through this function, so that all instances decide alike.
 */
export async function liveSession(
  answers: Pick<Answers, 'leasedNowMs' | 'session' | 'read'>,
  tokenDigest: string,
): Promise<SessionAt | undefined> {
  const nowMs = answers.leasedNowMs()
  const cached = nowMs === undefined ? undefined : answers.session(tokenDigest)
  if (cached && nowMs !== undefined && cached.expiresAtMs > nowMs) return sessionAt(cached, nowMs)
  return readSession(answers, tokenDigest)
}

/** Returns the live session of a token from the database, so that the result includes the latest writes. */
export async function readSession(
  answers: Pick<Answers, 'read'>,
  tokenDigest: string,
): Promise<SessionAt | undefined> {
  const { session, nowMs } = await answers.read({ keyDigest: '', tokenDigest })
  return session && sessionAt(session, nowMs)
}
