import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import { type Client, errors } from 'oidc-provider'
import { findUsername } from '#mirror/read-members'
import { Answer } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import { isNavigation, isSameOrigin } from '#platform/http/credentials'
import { readerOf } from '#platform/http/reader'
import { shownPath } from '#platform/http/shown-path'
import type { Deps } from '../../deps.ts'
import { brandOf } from '../../pages/brand-of.ts'
import { sourceOf } from '../../pages/form-source.ts'
import type { BrowserLogin } from './browser-login.ts'
import { detailsOf } from './client-metadata.ts'
import { consentDeclined, consentPage } from './consent-page.ts'
import { addConsent } from './consents-store.ts'
import { errorPage } from './error-page.ts'
import type { OidcRequest } from './oidc-request.ts'
import { consentEntries, findRequestedConsent, needsConsent } from './requested-consent.ts'
import { siteOf } from './sites.ts'
import { digestOfRecord } from './stored-payload.ts'

type InteractionDeps = Pick<Deps, 'db' | 'config'> & {
  readonly login: Pick<BrowserLogin, 'begin' | 'find' | 'noteDeclined'>
}
/** A step of a sign-in that needs a person, as the library stores it. */
type Interaction = Awaited<ReturnType<typeof Provider.prototype.interactionDetails>>

/**
 * Responds to a browser at a step of a sign-in. Depending on the step, redirects to Discord, or shows the consent page.
 *
 * @throws NAVIGATION_REQUIRED
 */
export async function showInteraction(
  deps: InteractionDeps,
  provider: Provider,
  request: OidcRequest,
  response: ServerResponse,
): Promise<Answer> {
  if (!isNavigation(request)) throw new ApiError('NAVIGATION_REQUIRED')
  const interaction = await find(provider, request, response)
  if (!interaction) return lost(request)
  return interaction.prompt.name === 'consent'
    ? orResume(interaction, () => askConsent(deps, provider, request, interaction))
    : orResume(interaction, () => logIn(deps, provider, request, interaction))
}

/**
 * Applies the decision of the consent page, and redirects to the library, which continues the sign-in.
 *
 * @throws CROSS_SITE_REQUEST
 */
export async function answerInteraction(
  deps: InteractionDeps,
  provider: Provider,
  request: OidcRequest,
  response: ServerResponse,
  decision: string | null,
): Promise<Answer> {
  if (!isSameOrigin(request, deps.config.publicUrl)) throw new ApiError('CROSS_SITE_REQUEST')
  const interaction = await find(provider, request, response)
  if (interaction?.prompt.name !== 'consent') return lost(request)
  const { accountId } = interaction.session ?? {}
  // The decision is valid only for the member who saw the page. Another member may have signed in since.
  const known = await deps.login.find(request.headers.cookie)
  if (accountId !== undefined && known?.memberId !== accountId) return lost(request)
  if (decision !== 'allow' || accountId === undefined) {
    return orResume(interaction, async () => {
      if (accountId !== undefined) await noteDeclined(deps, provider, request, interaction, accountId)
      const options = { mergeWithLastSubmission: false }
      return onTo(await provider.interactionResult(request, response, consentDeclined, options))
    })
  }
  return orResume(interaction, async () => {
    await recordConsent(deps, provider, interaction, accountId)
    return onTo(await provider.interactionResult(request, response, { consent: {} }))
  })
}

/**
 * If the requested resource was removed meanwhile, redirects to the library, which checks it again and reports this.
 */
async function orResume({ returnTo }: Interaction, response: () => Promise<Answer>): Promise<Answer> {
  try {
    return await response()
  } catch (error) {
    if (error instanceof errors.InvalidTarget) return onTo(returnTo)
    throw error
  }
}

/** Stores what the member has consented to. Does nothing if the request needs no consent. */
async function recordConsent(
  deps: InteractionDeps,
  provider: Provider,
  { params }: Interaction,
  memberId: string,
): Promise<void> {
  const client = await clientOf(provider, params)
  const requested = client && (await requestedBy(deps, client, params))
  if (!requested || !needsConsent(requested)) return
  const { projectId, clientId } = await siteOf(deps, client, params['resource'])
  const consent = { projectId, memberId, clientId, scopes: consentEntries(requested) }
  await deps.db.transaction((tx) => addConsent(tx, consent))
}

/** Records that the member declined, in the list of refused sign-ins. */
async function noteDeclined(
  { login, ...deps }: InteractionDeps,
  provider: Provider,
  request: OidcRequest,
  { params }: Interaction,
  memberId: string,
): Promise<void> {
  const client = await clientOf(provider, params)
  if (!client) return
  const { projectId, serverId } = await siteOf(deps, client, params['resource'])
  const path = shownPath(request.url ?? '')
  login.noteDeclined({ memberId, projectId, serverId, path, client: request.client })
}

const onTo = (location: string) => new Answer(303, undefined, { location })

/** Returns the current step of this browser, or undefined if the address in the request belongs to another step. */
async function find(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Interaction | undefined> {
  try {
    const interaction = await provider.interactionDetails(request, response)
    return request.url === `/oidc/interaction/${interaction.uid}` ? interaction : undefined
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined
    throw error
  }
}

/** Builds the page for a step that this browser did not begin, or began too long ago. */
function lost(request: OidcRequest): Answer {
  const problem = { error: 'invalid_request', description: 'no such interaction', isSessionMissing: true }
  const { body, headers } = errorPage(readerOf(request), problem, request.client.requestId)
  return new Answer(400, body, headers)
}

/** Redirects the browser to Discord. */
async function logIn(
  { login, ...deps }: InteractionDeps,
  provider: Provider,
  request: OidcRequest,
  { uid, returnTo, params }: Interaction,
): Promise<Answer> {
  const client = await clientOf(provider, params)
  if (!client) return lost(request)
  const { projectId, serverId } = await siteOf(deps, client, params['resource'])
  const { location, cookie } = await login.begin(request.headers.cookie, {
    interaction: digestOfRecord('Interaction', uid),
    returnTo,
    projectId,
    serverId,
    address: request.bucket,
  })
  return new Answer(303, undefined, { location, 'set-cookie': [cookie] })
}

/** Shows the consent page. */
async function askConsent(
  deps: InteractionDeps,
  provider: Provider,
  request: OidcRequest,
  interaction: Interaction,
): Promise<Answer> {
  const { uid, params, session } = interaction
  const client = await clientOf(provider, params)
  const account = session && (await findUsername(deps.db, session.accountId))
  if (!client || account === undefined) return lost(request)
  const back = params['redirect_uri']
  const { projectId, serverId, clientId } = await siteOf(deps, client, params['resource'])
  // If a metadata document describes the client, the project is only the owner of the API, so its logo is not shown.
  const brand = await brandOf(deps.db, { serverId, ...(clientId === null && { projectId }) })
  const reader = { ...readerOf(request), brand }
  const consent = {
    action: `/oidc/interaction/${uid}`,
    site: detailsOf(client).name,
    account,
    ...(await requestedBy(deps, client, params)),
    program: clientId !== null && typeof back === 'string' ? { address: clientId, back } : undefined,
    elsewhere: typeof back === 'string' ? restartAddress(params) : undefined,
  }
  const { body, headers } = consentPage(reader, consent, [
    "'self'",
    ...(typeof back === 'string' ? [sourceOf(back)] : []),
  ])
  return new Answer(200, body, headers)
}

/** Returns the address that repeats the request with `prompt=login`, so that another account can sign in at Discord. */
function restartAddress(params: Interaction['params']): string {
  const texts = Object.entries(params).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== 'request_uri',
  )
  // The language is in a cookie by now, and the person may have switched it. So `ui_locales` is not repeated.
  const kept = texts.filter(([name]) => name !== 'prompt' && name !== 'ui_locales')
  return `/oidc/auth?${new URLSearchParams([...kept, ['prompt', 'login']])}`
}

/** Finds the client of a sign-in, or undefined if it is no longer a client. */
async function clientOf(provider: Provider, params: Interaction['params']): Promise<Client | undefined> {
  try {
    return await provider.Client.find(String(params['client_id']))
  } catch (error) {
    if (error instanceof errors.InvalidClient) return undefined
    throw error
  }
}

/** Returns what a request needs consent for. */
const requestedBy = (deps: InteractionDeps, client: Client, params: Interaction['params']) =>
  findRequestedConsent(deps, client, {
    scopes: String(params['scope'] ?? '').split(' '),
    resource: params['resource'],
    redirectUri: params['redirect_uri'],
  })
