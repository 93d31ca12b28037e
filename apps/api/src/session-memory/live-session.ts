import type { Answers } from './answers.ts'
import type { SessionCaller } from './callers-store.ts'
import { type SessionAt, sessionAt } from './session.ts'

/**
 * Returns the live session of a token, or undefined. Uses the cache while the lease is valid, otherwise the database.
 * Every access by a session goes through this file, so that all instances decide alike.
 */
export async function liveSession(
  answers: Pick<Answers, 'leasedNowMs' | 'findSession' | 'read'>,
  tokenDigest: string,
): Promise<SessionAt | undefined> {
  return cachedSession(answers, tokenDigest) ?? readSession(answers, tokenDigest)
}

/** Returns only the caller of a live session, or undefined. Reads less than `liveSession`, and caches nothing. */
export async function sessionCaller(
  answers: Pick<Answers, 'leasedNowMs' | 'findSession' | 'readCaller'>,
  tokenDigest: string,
): Promise<SessionCaller | undefined> {
  return cachedSession(answers, tokenDigest)?.session ?? answers.readCaller(tokenDigest)
}

function cachedSession(
  answers: Pick<Answers, 'leasedNowMs' | 'findSession'>,
  tokenDigest: string,
): SessionAt | undefined {
  const nowMs = answers.leasedNowMs()
  const cached = nowMs === undefined ? undefined : answers.findSession(tokenDigest)
  return cached && nowMs !== undefined && cached.expiresAtMs > nowMs ? sessionAt(cached, nowMs) : undefined
}

/** Returns the live session of a token from the database, so that the result includes the latest writes. */
export async function readSession(
  answers: Pick<Answers, 'read'>,
  tokenDigest: string,
): Promise<SessionAt | undefined> {
  const { session, nowMs } = await answers.read({ keyDigest: '', tokenDigest })
  return session && sessionAt(session, nowMs)
}
