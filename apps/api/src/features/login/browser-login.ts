import { findServerName } from '#mirror/read-servers'
import { digestOf } from '#platform/crypto/tokens'
import { readCookie } from '#platform/http/cookies'
import type { Client } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import { accountLogin } from './account-login.ts'
import { openAuthRequest, pageRequestCookie } from './auth-request.ts'
import type { LoginDeps } from './chat-callback.ts'
import { makeSsoCookie, ssoCookie } from './issue-code.ts'
import { isAccountRefusal, type RefusedLogin } from './note-refusal.ts'
import { toLoginProblem } from './project-redirect.ts'
import { checkMember, ssoGraceSec, useSso } from './sso-authorize.ts'
import { deleteSso, findSso, lockSso } from './sso-store.ts'

type Cookies = string | undefined

/** Returns the value of `pageRequestCookie`. */
const pageCookieOf = (cookies: Cookies) => readCookie(cookies, pageRequestCookie.name)

type BrowserLoginDeps = LoginDeps & Pick<Deps, 'audit'>

/**
 * Creates the sign-in that other features use: the account page and OpenID Connect. It has the same checks, screen, and
 * single sign-on as the sign-in to a project. `cookies` is always the request's `Cookie` header.
 */
export function createBrowserLogin(deps: BrowserLoginDeps) {
  const { db, config } = deps
  return {
    /**
     * Returns the member who is signed in with this browser. Only reads: unlike `use`, it does not rotate the cookie.
     * With a project, ignores a single sign-on from before the project ended all sessions of the member.
     */
    async find(cookies: Cookies, projectId?: string) {
      const value = readCookie(cookies, ssoCookie)
      return value === undefined
        ? undefined
        : findSso(db, { digest: digestOf(value), graceSec: ssoGraceSec, projectId })
    },
    /**
     * Uses the single sign-on of the browser for a project, and checks the membership. Returns its ID and the cookies to
     * set, or the problem for which the sign-in is refused. Returns undefined if the browser has no valid single
     * sign-on.
     */
    async use(
      cookies: Cookies,
      {
        projectId,
        serverId,
        path,
        client,
      }: { projectId: string; serverId: string; path: string; client: Client },
    ) {
      const used = await useSso(deps, projectId, { ssoCookie: readCookie(cookies, ssoCookie), client })
      if (!used) return undefined
      const refusal = await checkMember(deps, serverId, used.memberId)
      if (!refusal) return { id: used.id, cookies: used.cookies }
      if (isAccountRefusal(refusal)) {
        deps.noteRefusal({ reason: refusal, memberId: used.memberId, projectId, serverId, path, client })
      }
      return { problem: toLoginProblem(refusal, await findServerName(db, serverId)) }
    },
    /** Locks a single sign-on for a sign-in to a project. Returns false if it is no longer valid for the project. */
    lock: lockSso,
    /** Records that a member declined to share their data with a site. */
    noteDeclined: (declined: Omit<RefusedLogin, 'reason'>) =>
      deps.noteRefusal({ ...declined, reason: 'declined' }),
    /** Starts a sign-in for a waiting request of OpenID Connect, which continues at `returnTo`. */
    begin(
      cookies: Cookies,
      parameters: {
        interaction: string
        returnTo: string
        projectId: string
        serverId: string
        address: string
      },
    ) {
      const { interaction, returnTo: redirectUri, projectId, serverId, address } = parameters
      const request = { interaction, redirectUri, projectId, serverId, state: null, codeChallenge: null }
      return openAuthRequest(deps, pageCookieOf(cookies), address, request, pageRequestCookie)
    },
    /** Starts a sign-in to the account page. */
    beginForAccount: (cookies: Cookies, address: string) =>
      accountLogin(deps, pageCookieOf(cookies), address),
    /** Ends the single sign-on of the browser. Returns the cookie that deletes its value. */
    async end(cookies: Cookies) {
      const value = readCookie(cookies, ssoCookie)
      if (value !== undefined) await deleteSso(db, digestOf(value))
      return [makeSsoCookie(config, '', 0)]
    },
  }
}
