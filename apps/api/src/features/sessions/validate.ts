import { sessions } from '@rolecall/contract'
import type { FastifyRequest } from 'fastify'
import { isFresh, memberTerms } from '#mirror/freshness'
import { digestOf, isWellFormed, keyPrefixOf } from '#platform/crypto/tokens'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/check-request'
import { readApiKey } from '#platform/http/credentials'
import type { FromMemory, FrontRequest } from '#platform/http/front'
import { isJson, readBody } from '#platform/http/read-body'
import { admit } from '#platform/http/router'
import { compile } from '#platform/http/validation'
import { keyBucket, unknownTokenBucket } from '#platform/rate-limit/key-bucket'
import type { Read } from '#session-memory/facts-of-rows'
import { sessionAt, toResponseJson } from '#session-memory/session'
import { projectFromMemory } from '../../callers/project-from-memory.ts'
import { firstFailed } from '../../checks/check.ts'
import { freshestRoles } from '../../checks/freshest-roles.ts'
import type { Deps } from '../../deps.ts'
import { keyChecks, sessionCheck } from './checks.ts'

type MemoryDeps = Pick<Deps, 'limiter' | 'answers' | 'settings'>
type ValidateDeps = MemoryDeps & Pick<Deps, 'unknownTokens' | 'refreshMember'>

/**
 * Validates a session from the cache alone. Returns undefined if the cache does not suffice, or if the request is
 * unusual or over its rate limit. Then `validate` decides, which also counts the request. Must be synchronous: the lease
 * that permits the use of the cache must still be valid when the response is created.
 */
export function validateFromMemory(
  { answers, limiter, settings }: MemoryDeps,
  request: FrontRequest,
  body: Buffer,
): FromMemory {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers
  const token = plainToken(body)
  const nowMs = answers.leasedNowMs()
  if (nowMs === undefined || token === undefined || !isJson(type, encoding)) return undefined
  const caller = projectFromMemory(answers, request, nowMs)
  const session = caller && answers.findSession(digestOf(token))
  if (!session || session.projectId !== caller.projectId || session.expiresAtMs <= nowMs) return undefined
  const at = sessionAt(session, nowMs)
  if (!isFresh(at, memberTerms(settings.current().permissionTtlMs))) return undefined
  const outcome = limiter.tryConsume(caller.bucket)
  if (outcome !== true) return outcome
  return { caller, json: toResponseJson(at, 'rest') }
}

/**
 * Matches a body `{"token":"rcs_…"}`, with or without white space. It saves a JSON parser for the usual request.
 * `validate` parses every other body.
 */
const plainBody =
  /^[ \t\r\n]*\{[ \t\r\n]*"token"[ \t\r\n]*:[ \t\r\n]*"(rcs_[0-9A-Za-z]+)"[ \t\r\n]*\}[ \t\r\n]*$/

/** The maximum length in bytes of a body that `plainBody` is matched against. The usual body is much shorter. */
const maxPlainBytes = 256

const plainToken = (body: Buffer): string | undefined =>
  body.length <= maxPlainBytes ? plainBody.exec(body.toString('latin1'))?.[1] : undefined

/**
 * Validates a session from the database, and refreshes old roles from Discord. One batched read returns both the key
 * and the session. Returns the response as JSON text.
 *
 * @throws INVALID_API_KEY, PROJECT_INACTIVE, INVALID_TOKEN, RATE_LIMITED, CHAT_PLATFORM_UNAVAILABLE, and the errors of
 * an invalid body
 */
export async function validate(deps: ValidateDeps, request: FastifyRequest): Promise<string> {
  const { answers, limiter, unknownTokens, settings } = deps
  const key = readApiKey(request.raw)
  const { token, problem } = readToken(request)
  const item = { keyDigest: digestOf(key), tokenDigest: token ? digestOf(token) : '' }
  const first = await answers.read(item)
  const projectId = checkKey(first, key)
  const caller = { projectId, keyDigest: item.keyDigest, bucket: keyBucket(item.keyDigest) }
  const unknown = () =>
    new ApiError(sessionCheck.refusal, {
      reason: token ? 'unknown' : 'malformed',
      projectId,
      keyPrefix: keyPrefixOf(key),
    })
  const { session } = first
  if (!problem && (!sessionCheck.holds(first) || !session)) {
    // Unknown tokens are limited per address, too: a visitor who invents tokens must not use up the project's limit.
    const bucket = unknownTokenBucket(item.keyDigest, request.ip)
    await admit(unknownTokens, request, { ...caller, bucket })
    throw unknown()
  }
  await admit(limiter, request, caller)
  if (problem || !session) throw problem ?? unknown()
  const { serverId, memberId } = session
  const { known, source } = await freshestRoles({
    known: sessionAt(session, first.nowMs),
    terms: memberTerms(settings.current().permissionTtlMs),
    refresh: () => deps.refreshMember(serverId, memberId),
    reread: async () => {
      const again = await answers.read(item)
      checkKey(again, key)
      return again.session && sessionAt(again.session, again.nowMs)
    },
  })
  if (!known) throw unknown()
  return toResponseJson(known, source)
}

/**
 * Returns the project of a key, according to a read of the key. `key` itself is used only for the prefix and digest in
 * the log.
 *
 * @throws INVALID_API_KEY, PROJECT_INACTIVE
 */
export function checkKey(read: Pick<Read, 'projectId' | 'isActive'>, key: string): string {
  const { projectId } = read
  const failed = firstFailed(keyChecks, read)
  if (!failed && projectId !== undefined) return projectId
  const keyPrefix = keyPrefixOf(key)
  throw new ApiError(
    failed?.refusal ?? 'INVALID_API_KEY',
    projectId === undefined
      ? { reason: 'unknown', keyPrefix }
      : { reason: 'project_inactive', projectId, keyPrefix, keyDigest: digestOf(key) },
  )
}

const check = compile(sessions.validateSession.body)

/**
 * Reads the token from the body. Returns a problem of the body instead of throwing it, because the key is checked
 * first. Without a problem, `token` is undefined if it does not have the form of a session token.
 */
function readToken(request: FastifyRequest): { token: string | undefined; problem: ApiError | undefined } {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers
  try {
    const body = readBody(type, encoding, request.body)
    const problems = check(body)
    if (problems.length > 0) return { token: undefined, problem: invalid(problems) }
    const { token } = body as { token: string }
    return { token: isWellFormed('session', token) ? token : undefined, problem: undefined }
  } catch (error) {
    if (error instanceof ApiError) return { token: undefined, problem: error }
    throw error
  }
}
