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
import type { ClientSessions } from './client-sessions.ts'
import { listLiveSites } from './clients-store.ts'

export type LogoutDeps = Pick<Deps, 'db' | 'config'> & {
  readonly sessions: ClientSessions
  readonly login: Pick<BrowserLogin, 'end' | 'find'>
}

/** Where a logout ends, and what it may still end: what the page carries, sealed, from the question to the answer. */
interface Asked {
  readonly returnTo: string | null
  /** Whose sessions these are; null when nobody was logged in. */
  readonly memberId: string | null
  readonly sessionIds: readonly string[]
}

const rowId = 'oidc logout'
const formKey = (encryptionKey: string) => createHmac('sha256', encryptionKey).update(rowId).digest('hex')

/**
 * A client asks for a logout (OpenID Connect RP-Initiated Logout 1.0). With an ID token of its own as a hint its session
 * ends at once, and the single sign-on with it; for sessions of other projects in this browser it asks. Without a hint
 * nobody can tell who asks, so the person is asked first.
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
    const brand = await brandOf(deps.db, { projectId: client?.clientId })
    return askFirst(ctx, deps, { returnTo, memberId, sessionIds: inBrowser }, client?.clientName, brand)
  }
  // The token is this client's, and so is its session.
  if (hinted !== undefined && formats.uuid(hinted)) await deps.sessions.end(deps.db, hinted, 'logout')
  for (const cookie of await deps.login.end(ctx.req.headers.cookie)) ctx.append('set-cookie', cookie)
  const others = (await listLiveSites(deps.db, owner, inBrowser)).filter(
    ({ projectId }) => projectId !== client?.clientId,
  )
  if (others.length === 0) return goOn(ctx, returnTo)
  const sessionIds = others.map(({ sessionId }) => sessionId)
  askForOthers(ctx, deps, { returnTo, memberId: owner, sessionIds }, [
    ...new Set(others.map(({ name }) => name)),
  ])
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** The registered address as it is, with what the client wants back. */
function backTo(uri: string | undefined, state: string | undefined): string | null {
  if (uri === undefined) return null
  if (state === undefined) return uri
  const glue = uri.includes('?') ? '&' : '?'
  return `${uri}${glue}${new URLSearchParams({ state })}`
}

const afterwards = '/oidc/session/end/success'

function goOn(ctx: KoaContextWithOIDC, returnTo: string | null) {
  ctx.status = 303
  ctx.redirect(returnTo ?? afterwards)
}

function askFirst(
  ctx: KoaContextWithOIDC,
  deps: LogoutDeps,
  asked: Asked,
  site: string | undefined,
  brand: Brand,
) {
  const reader = { ...readerOf(ctx.req), brand }
  const { say } = reader
  ask(ctx, deps, asked, reader, {
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

function askForOthers(ctx: KoaContextWithOIDC, deps: LogoutDeps, asked: Asked, names: readonly string[]) {
  // The session of the client has ended: loading this address again would not ask.
  const reader = readerOf(ctx.req, { hasSwitch: false })
  const { say } = reader
  ask(ctx, deps, asked, reader, {
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

function ask(
  ctx: KoaContextWithOIDC,
  { config }: LogoutDeps,
  asked: Asked,
  reader: Reader,
  { buttons, ...content }: Question,
) {
  const { returnTo } = asked
  const request = seal(formKey(config.outboundKey ?? ''), rowId, JSON.stringify(asked)).toString('base64url')
  const form = { action: '/oidc/session/end/confirm', hidden: { request }, buttons }
  const targets = ["'self'", ...(returnTo === null ? [] : [sourceOf(returnTo)])]
  const { body, headers } = renderPage(reader, { ...content, form }, targets)
  ctx.set({ ...headers })
  ctx.body = body
}

/**
 * What the person answered; where the browser goes. Only the member's own sessions end, and only if it is still they who
 * are in this browser, or nobody.
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
  const { returnTo, memberId, sessionIds } = JSON.parse(opened) as Asked
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

/** Renders the page at which a logout ends that names no address to go to. */
export const loggedOutPage = (reader: Reader) =>
  renderPage(reader, { title: reader.say('signedOutTitle'), paragraphs: [reader.say('closePage')] })
