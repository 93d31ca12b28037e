import type { Session } from './contract-types.ts'
import { type ProblemCode, problemBody } from './problem.ts'
import type { Rolecall } from './rolecall.ts'
import { RolecallError } from './rolecall-error.ts'

/** The roles that a member must hold. Without rules, a live session is enough. */
export interface MemberRules {
  /** IDs of roles, at least one of which the member must hold. */
  readonly anyOf?: readonly string[]
  /** IDs of roles, all of which the member must hold. */
  readonly allOf?: readonly string[]
}

/** Options of `createGuard()`. */
export interface GuardOptions {
  /** Name of the cookie that contains the session token. By default, the token is read from `Authorization: Bearer`. */
  readonly cookie?: string
  /** Called with the reason if a session cannot be checked. The visitor then receives 503. Default: `console.error`. */
  readonly onError?: (error: RolecallError) => void
}

/** The session of a member with access, or the response that refuses the request. It is problem JSON (RFC 9457). */
export type Decision = { readonly session: Session } | { readonly refusal: Response }

/**
 * Decides from the headers whether a request has access. Refuses with 401 without a live session, 403 without the
 * required roles, and 503 if the session cannot be checked.
 *
 * @throws TypeError if the rules are not valid
 */
export type Decide = (
  header: (name: 'authorization' | 'cookie') => string | null | undefined,
  rules: MemberRules,
) => Promise<Decision>

/** Creates the decision that all guards share. The adapters of the frameworks only send its response. */
export function createDecide(
  rolecall: Pick<Rolecall, 'validate'>,
  { cookie, onError = console.error }: GuardOptions,
): Decide {
  return async (header, rules) => {
    checkRules(rules)
    const token = cookie ? readCookie(header('cookie'), cookie) : readBearer(header('authorization'))
    let session: Session | undefined
    try {
      session = await rolecall.validate(token)
    } catch (error) {
      // Rethrows only unknown errors. A framework would respond with the `status` of a thrown RolecallError, and a 401
      // (an invalid API key) would look like a logout.
      if (!(error instanceof RolecallError)) throw error
      onError(error)
      return refuse(503, 'SESSION_CHECK_UNAVAILABLE', { 'retry-after': String(error.retryAfterSec ?? 2) })
    }
    if (!session) return refuse(401, 'LOGIN_REQUIRED', { 'www-authenticate': 'Bearer' })
    return hasRequiredRoles(session, rules) ? { session } : refuse(403, 'ROLE_REQUIRED')
  }
}

/**
 * Rejects misspelled rules and empty lists, because they would admit every member.
 *
 * @throws TypeError that names the rule
 */
export function checkRules(rules: MemberRules): void {
  if (typeof rules !== 'object' || rules === null || Array.isArray(rules))
    throw new TypeError('requireMember() accepts { anyOf, allOf }, each a list of role IDs.')
  for (const [name, ids] of Object.entries(rules) as [string, unknown][]) {
    if (name !== 'anyOf' && name !== 'allOf')
      throw new TypeError(`requireMember() does not support the rule ${name}. Use anyOf or allOf.`)
    const isList =
      Array.isArray(ids) && ids.length > 0 && ids.every((id) => typeof id === 'string' && id !== '')
    if (!isList)
      throw new TypeError(`requireMember() needs at least one role ID in ${name}, each a non-empty string.`)
  }
}

/** Returns true if a session has the required roles. */
export function hasRequiredRoles({ roles }: Pick<Session, 'roles'>, { anyOf, allOf }: MemberRules): boolean {
  const held = new Set(roles.map(({ roleId }) => roleId))
  return (!anyOf || anyOf.some((id) => held.has(id))) && (!allOf || allOf.every((id) => held.has(id)))
}

function refuse(status: number, code: ProblemCode, extraHeaders: Record<string, string> = {}): Decision {
  const headers = { 'content-type': 'application/problem+json', ...extraHeaders }
  return { refusal: new Response(problemBody(status, code), { status, headers }) }
}

const readBearer = (header: string | null | undefined) => /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]

function readCookie(header: string | null | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const cut = pair.indexOf('=')
    // Not `trim()`: a sibling host can set a cookie with another white space in front of its name.
    if (cut > 0 && pair.slice(0, cut).replace(/^[ \t]+|[ \t]+$/g, '') === name)
      return pair.slice(cut + 1).trim()
  }
  return undefined
}
