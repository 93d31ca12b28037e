import { createHmac } from 'node:crypto'
import { formats } from '@rolecall/contract'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { openOrUndefined, seal } from '#platform/crypto/seal'
import type { Brand } from '#platform/http/brand'
import { renderPage } from '#platform/http/page'
import { type Reader, readerOf } from '#platform/http/reader'
import type { Deps } from '../../deps.ts'
import { brandOf } from '../../pages/brand-of.ts'
import { sourceOf } from '../../pages/form-source.ts'
import type { BrowserLogin } from './browser-login.ts'
import { detailsOf, projectIdOf } from './client-metadata.ts'
import type { ClientSessions } from './client-sessions.ts'
import { listLiveSites } from './clients-store.ts'

export type LogoutDeps = Pick<Deps, 'db' | 'config'> & {
  readonly sessions: ClientSessions
  readonly login: Pick<BrowserLogin, 'end' | 'find'>
}

/**
 * A logout that waits for a person's answer. The page contains it, encrypted, in a hidden field of its form, so that
 * neither the browser nor another site can change it.
 */
interface LogoutRequest {
  /** The address to which the browser returns; null if the client named none. */
  readonly returnTo: string | null
  /** The member who has the sessions; null if no member was signed in. */
  readonly memberId: string | null
  readonly sessionIds: readonly string[]
}

/** The context of the encryption, so that a value that was encrypted for another purpose is rejected. */
const rowId = 'oidc logout'
const formKey = (encryptionKey: string) => createHmac('sha256', encryptionKey).update(rowId).digest('hex')

/**
 * Handles a logout that a client requests by a redirect (OpenID Connect RP-Initiated Logout 1.0).
 *
 * If the client sends an ID token of the member who is signed in (`id_token_hint`), its session and the single sign-on
 * end at once. A page then asks about the sessions of other projects in this browser. Without such a token, any site
 * could have sent the request, so a page asks the person first.
 */
export async function logoutAsked(ctx: KoaContextWithOIDC, deps: LogoutDeps): Promise<void> {
  const { session, entities, client, params } = ctx.oidc
  const { memberId = null } = (await deps.login.find(ctx.req.headers.cookie)) ?? {}
  const hint = entities.IdTokenHint?.payload
  const hinted = text(hint?.['sid'])
  const owner = text(hint?.['sub'])
  const returnTo = backTo(text(params?.['post_logout_redirect_uri']), text(params?.['state']))
  const inBrowser = Object.values(session?.authorizations ?? {}).flatMap(({ sid }) => sid ?? [])
  if (owner === undefined && memberId === null) return goOn(ctx, returnTo)
  if (owner === undefined || (memberId !== null && memberId !== owner)) {
    // The page names only projects. The host of a metadata document is not checked here, so its name could be
    // misleading.
    const projectId = client && projectIdOf(client)
    const brand = await brandOf(deps.db, { projectId })
    return askFirst(
      ctx,
      deps,
      { returnTo, memberId, sessionIds: inBrowser },
      client && projectId && detailsOf(client).name,
      brand,
    )
  }
  // The library has checked that the ID token was issued to this client.
  if (hinted !== undefined && formats.uuid(hinted)) await deps.sessions.end(deps.db, hinted, 'logout')
  for (const cookie of await deps.login.end(ctx.req.headers.cookie)) ctx.append('set-cookie', cookie)
  const others = (await listLiveSites(deps.db, owner, inBrowser)).filter(
    ({ projectId }) => projectId !== client?.clientId,
  )
  if (others.length === 0) return goOn(ctx, returnTo)
  const sessionIds = others.map(({ sessionId }) => sessionId)
  showOtherSitesPage(ctx, deps, { returnTo, memberId: owner, sessionIds }, [
    ...new Set(others.map(({ name }) => name)),
  ])
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** Returns the client's registered address, unchanged except for the added `state`. Null if the client named none. */
function backTo(uri: string | undefined, state: string | undefined): string | null {
  if (uri === undefined) return null
  if (state === undefined) return uri
  const glue = uri.includes('?') ? '&' : '?'
  return `${uri}${glue}${new URLSearchParams({ state })}`
}

/** The page after a logout without a return address. */
const afterwards = '/oidc/session/end/success'

function goOn(ctx: KoaContextWithOIDC, returnTo: string | null) {
  ctx.status = 303
  ctx.redirect(returnTo ?? afterwards)
}

/** Shows the page that asks whether to sign out at all. */
function askFirst(
  ctx: KoaContextWithOIDC,
  deps: LogoutDeps,
  request: LogoutRequest,
  site: string | undefined,
  brand: Brand,
) {
  const reader = { ...readerOf(ctx.req), brand }
  const { say } = reader
  showPage(ctx, deps, request, reader, {
    title: say('logoutTitle'),
    paragraphs: [
      site === undefined ? say('logoutAsked') : say('logoutAskedBy', { site }),
      say('logoutEffect'),
    ],
    list: [],
    buttons: [
      { name: 'logout', value: 'yes', text: say('signOut') },
      { name: 'logout', value: 'no', text: say('staySignedIn') },
    ],
  })
}

/** Shows the page that asks whether to sign out at other sites, too, after the client's session has ended. */
function showOtherSitesPage(
  ctx: KoaContextWithOIDC,
  deps: LogoutDeps,
  request: LogoutRequest,
  names: readonly string[],
) {
  // The language switch would load the address again, which does not show the question a second time.
  const reader = readerOf(ctx.req, { hasSwitch: false })
  const { say } = reader
  showPage(ctx, deps, request, reader, {
    title: say('signedOutTitle'),
    paragraphs: [say('logoutOthers')],
    list: names,
    buttons: [
      { name: 'logout', value: 'yes', text: say('signOutThere') },
      { name: 'logout', value: 'no', text: say('stayThere') },
    ],
  })
}

interface Question {
  readonly title: string
  readonly paragraphs: readonly string[]
  readonly list: readonly string[]
  readonly buttons: readonly { name: string; value: string; text: string }[]
}

function showPage(
  ctx: KoaContextWithOIDC,
  { config }: LogoutDeps,
  logout: LogoutRequest,
  reader: Reader,
  { buttons, ...content }: Question,
) {
  const { returnTo } = logout
  const request = seal(formKey(config.outboundKey ?? ''), rowId, JSON.stringify(logout)).toString('base64url')
  const form = { action: '/oidc/session/end/confirm', hidden: { request }, buttons }
  const targets = ["'self'", ...(returnTo === null ? [] : [sourceOf(returnTo)])]
  const { body, headers } = renderPage(reader, { ...content, form }, targets)
  ctx.set({ ...headers })
  ctx.body = body
}

/**
 * Applies the person's answer. Returns the address to which the browser is redirected, and the cookies to set, or
 * undefined if the form is not valid. Ends sessions only if the member of the form, or no member, is signed in with
 * this browser now.
 */
export async function logoutAnswered(
  deps: LogoutDeps,
  cookie: string | undefined,
  { request, logout }: { request: string; logout: string },
): Promise<{ location: string; cookies: readonly string[] } | undefined> {
  const opened = openOrUndefined(
    formKey(deps.config.outboundKey ?? ''),
    rowId,
    Buffer.from(request, 'base64url'),
  )
  if (opened === undefined) return undefined
  const { returnTo, memberId, sessionIds } = JSON.parse(opened) as LogoutRequest
  const location = returnTo ?? afterwards
  if (logout !== 'yes') return { location, cookies: [] }
  const now = await deps.login.find(cookie)
  if (now && now.memberId !== memberId) return { location, cookies: [] }
  if (memberId !== null) {
    for (const { sessionId } of await listLiveSites(deps.db, memberId, sessionIds)) {
      await deps.sessions.end(deps.db, sessionId, 'logout')
    }
  }
  return { location, cookies: await deps.login.end(cookie) }
}

/** Renders the page after a logout without a return address. */
export const loggedOutPage = (reader: Reader) =>
  renderPage(reader, { title: reader.say('signedOutTitle'), paragraphs: [reader.say('closePage')] })
