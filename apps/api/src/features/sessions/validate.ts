import type { IncomingHttpHeaders } from 'node:http'
import { sessions } from '@rolecall/contract'
import type { FastifyRequest } from 'fastify'
import type { Read } from '#answers/memory'
import { sessionAt } from '#answers/session'
import { freshest, isFresh, memberTerms } from '#mirror/freshness'
import { digestOf, isWellFormed, keyPrefixOf } from '#platform/crypto/tokens'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/check-request'
import { readApiKey } from '#platform/http/credentials'
import type { Known } from '#platform/http/front'
import { isJson, readBody } from '#platform/http/read-body'
import { admit } from '#platform/http/router'
import { compile } from '#platform/http/validation'
import { keyBucket } from '#platform/rate-limit/key-bucket'
import type { Deps } from '../../deps.ts'

type ValidateDeps = Pick<Deps, 'limiter' | 'answers' | 'settings' | 'refreshMember'>

/**
 * Who is this, and what roles do they hold right now? From memory, in one step: the lease is checked in the step that
 * makes the answer. Undefined, and nothing counted, for whatever needs more than that: `validate` then decides.
 */
export function validateFromMemory(
  { answers, limiter, settings }: ValidateDeps,
  headers: IncomingHttpHeaders,
  body: Buffer,
): Known | undefined {
  const key = headers['x-api-key']
  const token = plainToken(body)
  const nowMs = answers.goodAtMs()
  if (nowMs === undefined || token === undefined || typeof key !== 'string') return undefined
  if (!isJson(headers['content-type'], headers['content-encoding'])) return undefined
  // What is kept was well formed: there is no digest of anything else.
  const keyDigest = digestOf(key)
  const projectId = answers.key(keyDigest, nowMs)
  const session = projectId === undefined ? undefined : answers.session(digestOf(token))
  if (projectId === undefined || session?.projectId !== projectId || session.expiresAtMs <= nowMs)
    return undefined
  const liveAsOfMs = session.liveAsOfMs(nowMs)
  if (liveAsOfMs === null) {
    const terms = memberTerms(settings.current().permissionTtlMs)
    if (!isFresh({ isLive: false, ageMs: session.ageMs(nowMs) }, terms)) return undefined
  }
  const caller = { projectId, keyDigest, bucket: keyBucket(keyDigest) }
  if (!limiter.takeAtOnce(caller.bucket)) return undefined
  return { caller, json: session.answer(liveAsOfMs, liveAsOfMs === null ? 'rest' : 'gateway') }
}

/** `{"token":"…"}` as every client writes it, with or without blanks. Other spellings are parsed in full, elsewhere. */
const plainBody =
  /^[ \t\r\n]*\{[ \t\r\n]*"token"[ \t\r\n]*:[ \t\r\n]*"([0-9A-Za-z_]+)"[ \t\r\n]*\}[ \t\r\n]*$/

/** What is longer is no session token, with however many blanks. */
const maxPlainBytes = 256

const plainToken = (body: Buffer): string | undefined =>
  body.length <= maxPlainBytes ? plainBody.exec(body.toString('latin1'))?.[1] : undefined

/** The same from the database, asking the chat platform where roles are not fresh. Key and session are one gathered read. */
export async function validate(deps: ValidateDeps, request: FastifyRequest): Promise<string> {
  const { answers, limiter, settings } = deps
  const key = readApiKey(request.raw)
  const { token, problem } = readToken(request)
  const item = { keyDigest: digestOf(key), tokenDigest: token ? digestOf(token) : '' }
  const bucket = keyBucket(item.keyDigest)
  // Before the key is known to be good: it costs no time then, and a made-up key has a bucket that nobody shares.
  const taken = limiter.take(bucket)
  const first = await answers.read(item)
  const projectId = checkKey(first, key)
  await admit(limiter, request, { projectId, keyDigest: item.keyDigest, bucket }, taken)
  if (problem) throw problem
  const unknown = () =>
    new ApiError('INVALID_TOKEN', {
      reason: token ? 'unknown' : 'malformed',
      projectId,
      keyPrefix: keyPrefixOf(key),
    })
  if (!first.session) throw unknown()
  const { serverId, memberId } = first.session
  const { known, source } = await freshest({
    known: sessionAt(first.session, first.nowMs),
    terms: memberTerms(settings.current().permissionTtlMs),
    refresh: () => deps.refreshMember(serverId, memberId),
    reread: async () => {
      const again = await answers.read(item)
      checkKey(again, key)
      return again.session && sessionAt(again.session, again.nowMs)
    },
  })
  if (!known) throw unknown()
  const liveAsOfMs = known.session.liveAsOfMs(known.nowMs)
  return known.session.answer(liveAsOfMs, liveAsOfMs === null ? source : 'gateway')
}

/** The project of a key. */
export function checkKey({ projectId, isActive }: Pick<Read, 'projectId' | 'isActive'>, key: string): string {
  if (!projectId) throw new ApiError('INVALID_API_KEY', { reason: 'unknown', keyPrefix: keyPrefixOf(key) })
  if (!isActive) {
    throw new ApiError('PROJECT_INACTIVE', {
      reason: 'project_inactive',
      projectId,
      keyPrefix: keyPrefixOf(key),
      keyDigest: digestOf(key),
    })
  }
  return projectId
}

const check = compile(sessions.validateSession.body)

/** What is wrong with the body is told later: who asks is decided before what is asked. */
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
