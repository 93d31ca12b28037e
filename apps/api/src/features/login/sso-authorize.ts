import { login } from '@rolecall/contract'
import { findServerName } from '#mirror/read-servers'
import { digestOf, isWellFormed, mintToken } from '#platform/crypto/tokens'
import { readTime } from '#platform/db/read-time'
import type { Client } from '#platform/http/router'
import { firstFailed } from '../../checks/check.ts'
import type { Deps } from '../../deps.ts'
import type { LoginRefusal } from '../../pages/refusal-notice.ts'
import { type Authorize, authorize, checkAuthorize, checkStillListed } from './authorize.ts'
import {
  type Browser,
  isBlockedNow,
  type LoginDeps,
  type LoginRedirect,
  logFailure,
} from './chat-callback.ts'
import { callbackChecks, codeCheck, type MembershipResult } from './checks.ts'
import { issueCode, makeSsoCookie } from './issue-code.ts'
import { isAccountRefusal } from './note-refusal.ts'
import { withCode, withError } from './project-redirect.ts'
import { deleteSsoOfSpent, lockSso, rotateSso } from './sso-store.ts'
import { lockMember } from './store.ts'

/** The seconds for which a cookie value stays valid after its rotation, because two tabs may send the same value. */
export const ssoGraceSec = 10

type SsoDeps = LoginDeps & Pick<Deps, 'audit'>

/** The parameters of a sign-in by single sign-on. */
export interface SsoAuthorize extends Authorize {
  /** With `none`, a browser without single sign-on gets the error `login_required` instead of Discord's screen. */
  readonly prompt?: 'none' | undefined
}

/**
 * Signs a member in to a project without Discord's screen if this browser has signed in before. The cookie only
 * identifies the member: the membership is read from Discord, as in every sign-in. Without a valid single sign-on,
 * starts a sign-in through Discord's screen.
 *
 * @throws RATE_LIMITED, LOGIN_NOT_CONFIGURED, and the errors of `checkAuthorize`
 */
export async function ssoAuthorize(
  deps: SsoDeps,
  input: SsoAuthorize,
  browser: Browser & { client: Client },
): Promise<LoginRedirect> {
  await checkAuthorize(deps, input)
  const { publicUrl } = deps.config
  const destination = { redirectUri: input.redirect_uri, state: input.state }
  // The permit is acquired before the cookie is rotated, so that the cookie of a client over its limit stays valid.
  const permit = browser.ssoCookie ? await deps.loginLimits.acquire(browser.address) : undefined
  const sso = await useSso(deps, input.client_id, browser)
  const outcome = sso && (await checkAndIssueCode(deps, input, browser, sso))
  // A refused sign-in counts toward the limit. Without single sign-on, `authorize` acquires a permit of its own below.
  if (!outcome || 'code' in outcome) await permit?.release()
  if (sso && outcome && 'refusal' in outcome && isAccountRefusal(outcome.refusal)) {
    deps.noteRefusal({
      ...{ reason: outcome.refusal, memberId: sso.memberId, projectId: input.client_id },
      serverId: input.server_id,
      ...{ path: login.ssoAuthorize.path, client: browser.client },
    })
  }
  if (sso && outcome) {
    if ('refusal' in outcome) await checkStillListed(deps, addressOf(input))
    const location =
      'refusal' in outcome
        ? withError(destination, outcome.refusal, publicUrl, await findServerName(deps.db, input.server_id))
        : withCode(destination, outcome.code, publicUrl)
    return { location, cookies: sso.cookies }
  }
  if (input.prompt === 'none') {
    await checkStillListed(deps, addressOf(input))
    return { location: withError(destination, 'login_required', publicUrl), cookies: [] }
  }
  const opened = await authorize(deps, input, browser.cookie, browser.address)
  return { location: opened.location, cookies: [opened.cookie] }
}

const addressOf = (input: SsoAuthorize) => ({
  projectId: input.client_id,
  serverId: input.server_id,
  redirectUri: input.redirect_uri,
})

/** A single sign-on that was used, and the cookies to set. There are none if another tab has rotated the value. */
interface UsedSso {
  readonly id: string
  readonly memberId: string
  readonly cookies: readonly string[]
}

/**
 * Uses and rotates the single sign-on of a browser for a project. Returns undefined if the browser has no valid single
 * sign-on. Ends the single sign-on if the value was used before.
 */
export async function useSso(
  deps: Pick<Deps, 'db' | 'config' | 'audit'>,
  projectId: string,
  { ssoCookie: value, client }: { ssoCookie: string | undefined; client: Client },
): Promise<UsedSso | undefined> {
  const { db, config } = deps
  if (!value || !isWellFormed('sso', value)) return undefined
  const next = mintToken('sso')
  const used = await rotateSso(db, {
    digest: digestOf(value),
    newDigest: digestOf(next),
    projectId,
    graceSec: ssoGraceSec,
  })
  if (!used) {
    await endCopiedSso(deps, digestOf(value), client)
    return undefined
  }
  return {
    id: used.id,
    memberId: used.memberId,
    cookies: used.rotated ? [makeSsoCookie(config, next, used.remainingSec)] : [],
  }
}

/**
 * Ends a single sign-on if the presented value was rotated longer ago than the grace period. This means that the cookie
 * was copied. The service cannot distinguish the browser from the copy, so both must sign in again, as with a refresh
 * token (RFC 9700 §4.14.2).
 */
const endCopiedSso = ({ db, audit }: Pick<Deps, 'db' | 'audit'>, digest: string, client: Client) =>
  db.transaction(async (tx) => {
    const ended = await deleteSsoOfSpent(tx, digest, ssoGraceSec)
    if (!ended) return
    await audit.record(tx, {
      actionType: 'auth',
      action: 'sso.reuse',
      severity: 'warning',
      target: { type: 'member', id: ended.memberId, name: ended.username },
      summary: `A used single sign-on token of ${ended.username} was presented again. The single sign-on was ended.`,
      client,
    })
  })

/** Checks a member as every sign-in does: membership and block. Returns the reason for a refusal, or undefined. */
export const checkMember = async (
  deps: LoginDeps,
  serverId: string,
  memberId: string,
): Promise<LoginRefusal | undefined> =>
  firstFailed(callbackChecks, await readMembership(deps, serverId, memberId))?.refusal

/** Checks the member, and issues the code. */
async function checkAndIssueCode(
  deps: LoginDeps,
  input: Authorize,
  { ip, userAgent }: Browser,
  { id: ssoId, memberId }: UsedSso,
): Promise<{ code: string } | { refusal: LoginRefusal }> {
  const refusal = await checkMember(deps, input.server_id, memberId)
  if (refusal) return { refusal }
  return deps.db.transaction(async (tx) => {
    // The single sign-on may have ended, the project may have ended the member's sessions, and the member may have been
    // erased, during the request to Discord.
    if (!(await lockSso(tx, { id: ssoId, projectId: input.client_id }))) return { refusal: 'login_required' }
    if (!(await lockMember(tx, memberId))) return { refusal: 'login_required' }
    const code = await issueCode(tx, {
      projectId: input.client_id,
      memberId,
      serverId: input.server_id,
      redirectUri: input.redirect_uri,
      codeChallenge: input.code_challenge ?? null,
      ip,
      userAgent,
    })
    return code !== undefined ? { code } : { refusal: codeCheck.refusal }
  })
}

/** Reads the membership from Discord, and stores it in the mirror. A failure of Discord is returned, not thrown. */
async function readMembership(
  deps: LoginDeps,
  serverId: string,
  memberId: string,
): Promise<MembershipResult> {
  const requestedAt = await readTime(deps.db)
  try {
    const member = await deps.chat.member(serverId, memberId, 'login')
    await deps.mirrorMember(serverId, { id: memberId }, member, requestedAt)
    return { member, isBlocked: await isBlockedNow(deps, memberId) }
  } catch (error) {
    return { failure: logFailure(deps, error) }
  }
}
