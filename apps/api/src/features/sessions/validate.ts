import { sessions } from '@rolecall/contract'
import type { FastifyRequest } from 'fastify'
import { digestOf, isWellFormed, keyPrefixOf } from '#platform/crypto/tokens'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/check-request'
import { readApiKey } from '#platform/http/credentials'
import { chatPlatformUnavailable } from '#platform/http/problem'
import { readBody } from '#platform/http/read-body'
import { admit } from '#platform/http/router'
import { compile } from '#platform/http/validation'
import { keyBucket } from '#platform/rate-limit/key-bucket'
import type { Deps } from '../../deps.ts'
import type { ValidateItem, ValidateRow, ValidSession } from './live-store.ts'
import type { ReadSession, RolesSource } from './read-session.ts'

type ValidateDeps = Pick<Deps, 'limiter'> & { readSession: (item: ValidateItem) => Promise<ReadSession> }

const check = compile(sessions.validateSession.body)

/**
 * Who is this, and what roles do they hold right now? Key, session, limit and answer come out of one
 * gathered read, so a request costs no round trip of its own. Who asks is still decided before what is
 * asked: a bad key is refused first, whatever the body is.
 */
export async function validate({ limiter, readSession }: ValidateDeps, request: FastifyRequest) {
  const key = readApiKey(request.raw)
  const { token, problem } = readToken(request)
  const keyDigest = digestOf(key)
  const reading = readSession({ keyDigest, tokenDigest: token ? digestOf(token) : '' })
  const bucket = keyBucket(keyDigest)
  // Before the key is known to be good: it costs no time then, and a made-up key has a bucket that nobody shares.
  const taken = limiter.take(bucket)
  const { row, source, isTooOld } = await reading
  const projectId = checkKey(row, key)
  await admit(limiter, request, { projectId, bucket }, taken)
  if (problem) throw problem
  const { session } = row
  if (!session) {
    const reason = token ? 'unknown' : 'malformed'
    throw new ApiError('INVALID_TOKEN', { reason, projectId, keyPrefix: keyPrefixOf(key) })
  }
  if (isTooOld) throw chatPlatformUnavailable()
  return { json: answerOf(session, source) }
}

/** The answer; the last one serves again while nothing in it has changed. */
function answerOf(session: ValidSession, source: RolesSource): string {
  const asOfMs = session.liveAsOfMs ?? session.syncedAtMs
  if (session.answer?.asOfMs !== asOfMs || session.answer.source !== source) {
    const json = `${session.json}${new Date(asOfMs).toISOString()}","rolesSource":"${source}"}`
    session.answer = { asOfMs, source, json }
  }
  return session.answer.json
}

/** The project of a key. */
export function checkKey({ projectId, isActive }: ValidateRow, key: string): string {
  if (!projectId) throw new ApiError('INVALID_API_KEY', { reason: 'unknown', keyPrefix: keyPrefixOf(key) })
  if (!isActive) {
    throw new ApiError('PROJECT_INACTIVE', {
      reason: 'project_inactive',
      projectId,
      keyPrefix: keyPrefixOf(key),
    })
  }
  return projectId
}

function readToken(request: FastifyRequest): { token?: string; problem?: ApiError } {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers
  try {
    const body = readBody(type, encoding, request.body)
    const problems = check(body)
    if (problems.length > 0) return { problem: invalid(problems) }
    const { token } = body as { token: string }
    return isWellFormed('session', token) ? { token } : {}
  } catch (error) {
    if (error instanceof ApiError) return { problem: error }
    throw error
  }
}
