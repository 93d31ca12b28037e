import type { IncomingMessage } from 'node:http'
import { login } from '@rolecall/contract'
import { digestOf } from '#platform/crypto/tokens'
import { Answer, redirect } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import { readUserAgent } from '#platform/http/client-info'
import { readCookie } from '#platform/http/cookies'
import { isCrossOrigin, isNavigation, isSameOrigin } from '#platform/http/credentials'
import { localesCookies } from '#platform/http/reader'
import type { Client, Router } from '#platform/http/router'
import { addressBucket } from '#platform/rate-limit/address-bucket'
import type { Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { adminLogin, adminToken } from './admin-login.ts'
import { adminLogout } from './admin-logout.ts'
import { pageRequestCookie, readSecrets, requestCookie } from './auth-request.ts'
import { authorize } from './authorize.ts'
import { chatCallback, type FindBlock, type IsAdministrator } from './chat-callback.ts'
import type { CompleteInteraction } from './complete-interaction.ts'
import { decideConfirmation, showConfirmation } from './confirm-command-line.ts'
import { makeSsoCookie, ssoCookie } from './issue-code.ts'
import type { NoteRefusal } from './note-refusal.ts'
import { ssoAuthorize } from './sso-authorize.ts'
import { deleteSso } from './sso-store.ts'
import { findPendingRequest } from './store.ts'

/**
 * The functions of other features that a sign-in calls. `app.ts` passes them, because features do not import each
 * other.
 */
export interface LoginNeeds {
  readonly isAdministrator: IsAdministrator
  readonly redeemAdminCode: Parameters<typeof adminToken>[0]['redeem']
  readonly findBlock: FindBlock
  readonly noteRefusal: NoteRefusal
  readonly endSession: Parameters<typeof adminLogout>[0]['endSession']
  readonly completeInteraction: CompleteInteraction
}

/** Registers the sign-in endpoints for projects, the console, single sign-on, and command lines. */
export function loginRoutes({ route }: Router<Callers>, allDeps: Deps, needs: LoginNeeds) {
  const deps = { ...allDeps, ...needs }
  const requestCookieOf = (headers: { cookie?: string | undefined }) =>
    readCookie(headers.cookie, requestCookie.name)
  const pageCookieOf = (headers: { cookie?: string | undefined }) =>
    readCookie(headers.cookie, pageRequestCookie.name)
  /** Returns what the request tells about the browser: its cookies, address, and user agent. */
  const browser = (headers: { cookie?: string | undefined }, { ip, userAgent }: Client) => ({
    cookie: requestCookieOf(headers),
    pageCookie: pageCookieOf(headers),
    ssoCookie: readCookie(headers.cookie, ssoCookie),
    address: addressBucket(ip),
    ip,
    userAgent: readUserAgent(userAgent),
  })

  const locales = (query: { readonly ui_locales?: string | undefined }) =>
    localesCookies(deps.config.publicUrl, query.ui_locales)

  route(login.authorize, async ({ query, raw, client }) => {
    requireNavigation(raw)
    const opened = await authorize(deps, query, requestCookieOf(raw.headers), addressBucket(client.ip))
    return redirect(opened.location, [opened.cookie, ...locales(query)])
  })
  route(login.resumeLogin, async ({ raw }) => {
    requireNavigation(raw)
    return redirect(await resume(deps, [requestCookieOf(raw.headers), pageCookieOf(raw.headers)]))
  })
  route(login.chatCallback, async ({ query, raw, client }) => {
    const end = await chatCallback(deps, query, { ...browser(raw.headers, client), client })
    return redirect(end.location, end.cookies)
  })
  route(login.ssoAuthorize, async ({ query, raw, client }) => {
    requireNavigation(raw)
    const end = await ssoAuthorize(deps, query, { ...browser(raw.headers, client), client })
    return redirect(end.location, [...end.cookies, ...locales(query)])
  })
  route(login.ssoLogout, async ({ raw }) => {
    // The origin is checked even if the request has no cookie. A form on another site sends no cookie, but the response
    // would still delete the cookie.
    if (isCrossOrigin(raw, deps.config.publicUrl)) throw new ApiError('CROSS_SITE_REQUEST')
    const value = readCookie(raw.headers.cookie, ssoCookie)
    if (value) await deleteSso(deps.db, digestOf(value))
    return new Answer(200, { success: true }, { 'set-cookie': makeSsoCookie(deps.config, '', 0) })
  })
  route(login.adminLogin, async ({ query, raw, client }) => {
    requireNavigation(raw)
    const opened = await adminLogin(deps, query, requestCookieOf(raw.headers), addressBucket(client.ip))
    return redirect(opened.location, [opened.cookie, ...locales(query)])
  })
  route(login.confirmationPage, ({ query, raw }) => {
    requireNavigation(raw)
    return showConfirmation(deps, { ...query, cookie: requestCookieOf(raw.headers) })
  })
  route(login.answerConfirmation, ({ query, raw }) => {
    if (!isSameOrigin(raw, deps.config.publicUrl)) throw new ApiError('CROSS_SITE_REQUEST')
    return decideConfirmation(deps, { ...query, cookie: requestCookieOf(raw.headers) })
  })
  route(login.adminToken, async ({ body, raw, client }) => {
    if (body.cookie && !isSameOrigin(raw, deps.config.publicUrl)) throw new ApiError('CROSS_SITE_REQUEST')
    const from = { browser: browser(raw.headers, client), client }
    return adminToken({ config: deps.config, redeem: needs.redeemAdminCode }, body, from)
  })
  route(login.adminLogout, ({ caller, client }) => adminLogout(deps, caller, client))
}

/**
 * Rejects a request that a page sends in the background or for an embedded frame. Otherwise any site could use up the
 * sign-in limit of its visitors.
 *
 * @throws NAVIGATION_REQUIRED
 */
function requireNavigation(raw: IncomingMessage) {
  if (!isNavigation(raw)) throw new ApiError('NAVIGATION_REQUIRED')
}

/**
 * Returns the address of Discord's screen for the newest pending sign-in of this browser, so that a person who lost the
 * screen can continue.
 *
 * @throws LOGIN_REQUEST_INVALID if no sign-in is pending
 */
async function resume(
  { db, chat }: Pick<Deps, 'db' | 'chat'>,
  cookies: readonly (string | undefined)[],
): Promise<string> {
  const pending = await findPendingRequest(db, cookies.flatMap(readSecrets).map(digestOf))
  if (!pending) throw new ApiError('LOGIN_REQUEST_INVALID')
  return chat.authorizeUrl({ state: pending.chatState, codeVerifier: pending.chatCodeVerifier })
}
