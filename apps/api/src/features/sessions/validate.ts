import { sessions } from '@rolecall/contract'
import type { FastifyRequest } from 'fastify'
import type { Read } from '#answers/memory'
import type { Session } from '#answers/session'
import { within } from '#platform/async'
import { digestOf, isWellFormed, keyPrefixOf } from '#platform/crypto/tokens'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/check-request'
import { readApiKey } from '#platform/http/credentials'
import { chatPlatformUnavailable } from '#platform/http/problem'
import { readBody } from '#platform/http/read-body'
import { admit } from '#platform/http/router'
import { compile } from '#platform/http/validation'
import { keyBucket } from '#platform/rate-limit/key-bucket'
import type { Verdict } from '#platform/rate-limit/verdict'
import type { Deps } from '../../deps.ts'

/** Longest time that validate waits for fresh roles before it answers from the mirror. */
const maxWaitMs = 2_000
/** Roles older than this are not served, whatever the platform does. */
const maxMirrorAgeMs = 24 * 60 * 60 * 1000

type ValidateDeps = Pick<Deps, 'limiter' | 'answers' | 'settings' | 'refreshMember'>

interface Asked {
  readonly request: FastifyRequest
  readonly key: string
  readonly keyDigest: string
  /** Undefined when what was sent is no session token. */
  readonly token: string | undefined
  readonly tokenDigest: string
  /** What is wrong with the body. Who asks is decided before what is asked: a bad key is refused first. */
  readonly problem: ApiError | undefined
  readonly bucket: string
  readonly taken: Verdict | Promise<Verdict>
}

const check = compile(sessions.validateSession.body)

/**
 * Who is this, and what roles do they hold right now? From memory while the lease is good: then there is no promise
 * between reading the request and writing its answer, and the lease is checked in the step that makes it. Else key and
 * session come out of one gathered read.
 */
export function validate(deps: ValidateDeps, request: FastifyRequest): string | Promise<string> {
  const { answers, limiter } = deps
  const key = readApiKey(request.raw)
  const { token, problem } = readToken(request)
  const keyDigest = digestOf(key)
  const tokenDigest = token ? digestOf(token) : ''
  const bucket = keyBucket(keyDigest)
  // Before the key is known to be good: it costs no time then, and a made-up key has a bucket that nobody shares.
  const taken = limiter.take(bucket)
  if (token && !(taken instanceof Promise) && answers.isGood()) {
    const projectId = answers.key(keyDigest)
    const session = projectId === undefined ? undefined : answers.session(tokenDigest)
    const nowMs = answers.nowMs()
    if (projectId !== undefined && session?.projectId === projectId && session.expiresAtMs > nowMs) {
      const liveAsOfMs = session.liveAsOfMs(nowMs)
      if (liveAsOfMs !== null || isYoung(deps, session, nowMs)) {
        admit(limiter, request, { projectId, bucket }, taken)
        return session.answer(liveAsOfMs, liveAsOfMs === null ? 'rest' : 'gateway')
      }
    }
  }
  return readAndValidate(deps, { request, key, keyDigest, token, tokenDigest, problem, bucket, taken })
}

async function readAndValidate(deps: ValidateDeps, asked: Asked): Promise<string> {
  const { request, key, bucket, taken, token, problem } = asked
  const item = { keyDigest: asked.keyDigest, tokenDigest: asked.tokenDigest }
  const first = await deps.answers.read(item)
  const projectId = checkKey(first, key)
  await admit(deps.limiter, request, { projectId, bucket }, taken)
  if (problem) throw problem
  const unknown = () =>
    new ApiError('INVALID_TOKEN', {
      reason: token ? 'unknown' : 'malformed',
      projectId,
      keyPrefix: keyPrefixOf(key),
    })
  if (!first.session) throw unknown()
  if (isFresh(deps, first.session, first.nowMs)) return answerOf(first.session, first.nowMs, 'rest')

  const { serverId, memberId } = first.session
  const refreshed = await within(deps.refreshMember(serverId, memberId), maxWaitMs, 'unavailable')
  if (refreshed === 'fresh') {
    const again = await deps.answers.read(item)
    checkKey(again, key)
    if (!again.session) throw unknown()
    return answerOf(again.session, again.nowMs, 'rest')
  }
  if (first.session.ageMs(first.nowMs) > maxMirrorAgeMs) throw chatPlatformUnavailable()
  return answerOf(first.session, first.nowMs, 'mirror')
}

function answerOf(session: Session, nowMs: number, otherwise: 'rest' | 'mirror'): string {
  const liveAsOfMs = session.liveAsOfMs(nowMs)
  return session.answer(liveAsOfMs, liveAsOfMs === null ? otherwise : 'gateway')
}

const isFresh = (deps: ValidateDeps, session: Session, nowMs: number) =>
  session.liveAsOfMs(nowMs) !== null || isYoung(deps, session, nowMs)

/** Without the gateway roles are good for so long. */
const isYoung = ({ settings }: ValidateDeps, session: Session, nowMs: number) => {
  const { permissionTtlMs } = settings.current()
  return permissionTtlMs > 0 && session.ageMs(nowMs) <= permissionTtlMs
}

/** The project of a key. */
export function checkKey({ projectId, isActive }: Pick<Read, 'projectId' | 'isActive'>, key: string): string {
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
