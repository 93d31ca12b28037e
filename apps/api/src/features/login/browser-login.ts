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
import { deleteSso, findSso } from './sso-store.ts'

type Cookies = string | undefined

const held = (cookies: Cookies) => readCookie(cookies, pageRequestCookie.name)

type BrowserLoginDeps = LoginDeps & Pick<Deps, 'audit'>

/** Creates the sign-in for other features of the service, with the same checks, screen, and single sign-on. */
export function createBrowserLogin(deps: BrowserLoginDeps) {
  const { db, config } = deps
  return {
    async find(cookies: Cookies, projectId?: string) {
      const value = readCookie(cookies, ssoCookie)
      return value === undefined
        ? undefined
        : findSso(db, { digest: digestOf(value), graceSec: ssoGraceSec, projectId })
    },
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
      if (!refusal) return { cookies: used.cookies }
      if (isAccountRefusal(refusal)) {
        deps.noteRefusal({ reason: refusal, memberId: used.memberId, projectId, serverId, path, client })
      }
      return { problem: toLoginProblem(refusal, await findServerName(db, serverId)) }
    },
    noteDeclined: (declined: Omit<RefusedLogin, 'reason'>) =>
      deps.noteRefusal({ ...declined, reason: 'declined' }),
    begin(
      cookies: Cookies,
      asked: { interaction: string; returnTo: string; projectId: string; serverId: string; address: string },
    ) {
      const { interaction, returnTo: redirectUri, projectId, serverId, address } = asked
      const request = { interaction, redirectUri, projectId, serverId, state: null, codeChallenge: null }
      return openAuthRequest(deps, held(cookies), address, request, pageRequestCookie)
    },
    beginForAccount: (cookies: Cookies, address: string) => accountLogin(deps, held(cookies), address),
    async end(cookies: Cookies) {
      const value = readCookie(cookies, ssoCookie)
      if (value !== undefined) await deleteSso(db, digestOf(value))
      return [makeSsoCookie(config, '', 0)]
    },
  }
}
