import { projectReads } from '@rolecall/contract'
import type { Static } from 'typebox'
import { isFresh, memberTerms } from '#mirror/freshness'
import type { FromMemory, FrontRequest, Params } from '#platform/http/front'
import { readBody } from '#platform/http/read-body'
import { compile } from '#platform/http/validation'
import { withRoles } from '#responses/server-member'
import type { MemberItem } from '#session-memory/server-members-store'
import type { ProjectCaller } from '../../callers/callers.ts'
import { projectFromMemory } from '../../callers/project-from-memory.ts'
import type { Deps } from '../../deps.ts'
import { allowedBy } from './is-allowed.ts'

type MemoryDeps = Pick<Deps, 'answers' | 'limiter' | 'settings'>

/**
 * Answers a read of one member from the cache alone. Returns undefined, and counts nothing, if the cache does not
 * suffice. Must be synchronous: the lease that permits the use of the cache must still be valid when the response is
 * created.
 */
export function memberFromMemory(deps: MemoryDeps, request: FrontRequest, params: Params): FromMemory {
  const known = findCaller(deps, request, params, 'read_members')
  if (!known) return undefined
  const { serverId = '', memberId = '' } = params
  const profile = deps.answers.findServerMemberProfile({ serverId, memberId })
  const held = profile && freshRoles(deps, { serverId, memberId }, known.nowMs)
  return held ? counted(deps, known.caller, withRoles(profile, held.json)) : undefined
}

const checkBody = compile(projectReads.checkPermissions.body)
/** The maximum length of a body in bytes that is parsed before the rate limit. Longer ones go to the framework. */
const maxBodyBytes = 4_096

/**
 * Answers a permission check from the cache alone. Returns undefined, and counts nothing, if the cache does not
 * suffice or the request is invalid. Must be synchronous, as `memberFromMemory`.
 */
export function checkFromMemory(
  deps: MemoryDeps,
  request: FrontRequest,
  params: Params,
  bytes: Buffer,
): FromMemory {
  const known = findCaller(deps, request, params, 'check_permissions')
  if (!known || bytes.length > maxBodyBytes) return undefined
  const { 'content-type': type, 'content-encoding': encoding } = request.headers
  const body = readBody(type, encoding, bytes)
  if (checkBody(body).length > 0) return undefined
  const { memberId, ...wanted } = body as Static<typeof projectReads.checkPermissions.body>
  const { serverId = '' } = params
  const held = freshRoles(deps, { serverId, memberId }, known.nowMs)
  if (!held) return undefined
  const allowed = allowedBy(wanted)(held.roles)
  return counted(deps, known.caller, `{"allowed":${allowed},"isMember":true,"roles":${held.json}}`)
}

function freshRoles({ answers, settings }: MemoryDeps, item: MemberItem, nowMs: number) {
  const known = answers.findHeldRoles(item, nowMs)
  const terms = memberTerms(settings.current().permissionTtlMs)
  return known && isFresh(known, terms) ? known.held : undefined
}

/** A project that has a scope in a server, according to the cache. */
interface AllowedCaller {
  readonly caller: ProjectCaller
  readonly nowMs: number
}

function findCaller(
  { answers }: MemoryDeps,
  request: FrontRequest,
  { serverId = '' }: Params,
  scope: string,
): AllowedCaller | undefined {
  const nowMs = answers.leasedNowMs()
  const caller = nowMs === undefined ? undefined : projectFromMemory(answers, request, nowMs)
  if (nowMs === undefined || !caller) return undefined
  const isAllowed = answers.hasCachedScope({ projectId: caller.projectId, serverId }, scope)
  return isAllowed ? { caller, nowMs } : undefined
}

/**
 * Counts the request toward the rate limit. Returns a promise while a share of the limit is being reserved, and
 * undefined if the limiter must decide about the request.
 */
function counted({ limiter }: MemoryDeps, caller: ProjectCaller, json: string): FromMemory {
  const outcome = limiter.tryConsume(caller.bucket)
  return outcome === true ? { caller, json } : outcome
}
