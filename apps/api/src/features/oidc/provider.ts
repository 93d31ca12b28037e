import { createHmac, timingSafeEqual } from 'node:crypto'
import { languages } from '@rolecall/contract'
import Provider, { type Client, type Configuration, type KoaContextWithOIDC } from 'oidc-provider'
import { digestOf, mintToken } from '#platform/crypto/tokens'
import { localesCookies, readerOf } from '#platform/http/reader'
import { claimsByScope, scopes } from '#responses/oidc-claims'
import type { Deps } from '../../deps.ts'
import { brandOf } from '../../pages/brand-of.ts'
import { unlistedUri } from '../../pages/unlisted-uri.ts'
import { type AdapterDeps, createAdapter } from './adapter.ts'
import { announceDocuments } from './announce-documents.ts'
import type { BrowserLogin } from './browser-login.ts'
import { detailsOf, detailsProperty, projectIdOf } from './client-metadata.ts'
import { countResponses, onRefusal } from './count-answers.ts'
import { announceInterval, refreshTokenOfDevice } from './device-code.ts'
import { askForCode, confirmCode, showConnected } from './device-pages.ts'
import { errorPage, type ProtocolError } from './error-page.ts'
import { sendReasons } from './error-reason.ts'
import { explainRefusedGrants } from './explain-refused-grant.ts'
import { createFindAccount } from './find-account.ts'
import { createLoadGrant } from './grant-of-login.ts'
import { introspectionMiddleware } from './introspect.ts'
import { tokenTtlSec } from './issue-tokens.ts'
import { followSingleSignOn } from './login-state.ts'
import { loggedOutPage, logoutAsked } from './logout.ts'
import type { OidcCounts } from './oidc-deps.ts'
import { OidcRequest } from './oidc-request.ts'
import { tokenPath } from './plain-grants.ts'
import { createPolicy } from './policy.ts'
import { isRedirectUriAllowed } from './redirect-uri.ts'
import { findRequestedApi } from './requested-consent.ts'
import { mayIntrospect, ownResources, resourceIndicators } from './resource-indicators.ts'
import type { SigningKeys } from './signing-keys.ts'
import { siteOf } from './sites.ts'

export type ProviderDeps = AdapterDeps &
  Pick<Deps, 'log' | 'settings' | 'refreshMember'> & {
    readonly login: BrowserLogin
    readonly counts: OidcCounts
  }

/** The lifetimes in seconds of a code, and of a sign-in or device code that waits for a person. */
const [codeTtlSec, requestTtlSec] = [60, 600]

/** The paths of the library's endpoints, by its names of the routes. */
export const routes = {
  authorization: '/oidc/auth',
  token: tokenPath,
  userinfo: '/oidc/me',
  introspection: '/oidc/introspect',
  revocation: '/oidc/revoke',
  jwks: '/oidc/jwks',
  device_authorization: '/oidc/device_authorization',
  end_session: '/oidc/session/end',
  pushed_authorization_request: '/oidc/par',
  code_verification: '/device',
}

/** The endpoints that change nothing, so that their responses need not wait for acknowledgements of other instances. */
const reads: ReadonlySet<string> = new Set([routes.userinfo, routes.introspection, routes.jwks])

/**
 * Creates the provider of the protocol library (`oidc-provider`), with the service's storage, sign-in, and pages. The
 * signing keys of a provider are fixed, so new keys need a new provider.
 */
export function createProvider(deps: ProviderDeps, keys: SigningKeys): Provider {
  const { config, log, login } = deps
  const provider = new Provider(config.publicUrl, configurationOf(deps, keys))
  provider.proxy = true
  provider.onerror = (err) => log.error({ err }, 'OpenID Connect request failed: internal error')
  provider.on('server_error', (_ctx, err) =>
    log.error({ err }, 'OpenID Connect request failed: internal error'),
  )
  logRefusals(provider, log)
  explainRefusedGrants(provider)
  followSingleSignOn(provider, login)
  ownTokens(provider, config.outboundKey ?? '')
  ownResources(provider, deps)
  announceInterval(provider)
  ownSessions(provider.Session.prototype)
  ownClients(provider.Client.prototype)
  countResponses(provider, deps.counts.answers)
  sendReasons(provider)
  provider.use(announceDocuments(deps))
  provider.use(introspectionMiddleware(deps))
  provider.use(async (ctx, next) => {
    const before = deps.answers.writes()
    await next()
    // `params` also contains the locales of a pushed request, which are not in the address.
    const { params } = (ctx as Partial<KoaContextWithOIDC>).oidc ?? {}
    const locales = ctx.path === routes.authorization ? params?.['ui_locales'] : undefined
    if (typeof locales === 'string') ctx.append('set-cookie', localesCookies(config.publicUrl, locales))
    // If the request ended a session or token, the response waits until every instance has applied this. After a status
    // of 500 or more, the client cannot rely on the change anyway.
    const settles = !reads.has(ctx.path) && ctx.status < 500
    if (settles && deps.answers.writes() !== before) await deps.answers.confirm()
    if (ctx.status === 503) ctx.set('retry-after', '2')
    // The response to a revocation has no body (RFC 7009 §2.2). With a content type, some clients would try to parse
    // it.
    if (ctx.body === '') ctx.remove('content-type')
    // Every 401 needs this header, also if the client sent its credentials in the body (RFC 9110 §11.6.1).
    if (ctx.status === 401 && !ctx.response.get('www-authenticate')) {
      ctx.set('www-authenticate', `Basic realm="${config.publicUrl}"`)
    }
  })
  return provider
}

/** Logs rejected requests with the reason, which the response does not always contain. */
const logRefusals = (provider: Provider, log: ProviderDeps['log']) =>
  onRefusal(provider, (_ctx, { error, error_detail: detail }) =>
    log.debug({ error, detail }, 'OpenID Connect request rejected'),
  )

function configurationOf(deps: ProviderDeps, keys: SigningKeys): Configuration {
  const { config } = deps
  const cookie = { signed: true, httpOnly: true, sameSite: 'lax', overwrite: true } as const
  return {
    adapter: createAdapter(deps),
    routes,
    jwks: { keys: keys.map(({ jwk }) => jwk) },
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    scopes,
    claims: Object.fromEntries(Object.entries(claimsByScope).map(([scope, names]) => [scope, [...names]])),
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    discovery: { ui_locales_supported: [...languages] },
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: (_ctx, client) => client.tokenEndpointAuthMethod === 'none' },
    extraClientMetadata: { properties: [detailsProperty] },
    extraParams: { offline: keepOfflineAccess },
    findAccount: createFindAccount(deps),
    loadExistingGrant: createLoadGrant(deps),
    interactions: { policy: createPolicy(deps), url: (_ctx, { uid }) => `/oidc/interaction/${uid}` },
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx, client, { scopes }) => deps.redemptions.issueRefreshToken(client, scopes),
    // The service ends tokens and grants itself, with their session.
    revokeGrantPolicy: () => false,
    expiresWithSession: () => false,
    clientBasedCORS: (_ctx, origin, client) => isBrowserOrigin(origin, client),
    clockTolerance: 5,
    cookies: {
      names: cookieNames(config.publicUrl),
      long: cookie,
      short: cookie,
      keys: [
        createHmac('sha256', config.outboundKey ?? '')
          .update('oidc cookies')
          .digest(),
      ],
    },
    ttl: {
      AuthorizationCode: codeTtlSec,
      AccessToken: tokenTtlSec,
      IdToken: tokenTtlSec,
      RefreshToken: config.sessionMaxAgeSec,
      Grant: config.sessionMaxAgeSec,
      Session: config.ssoTtlSec,
      Interaction: requestTtlSec,
      DeviceCode: requestTtlSec,
    },
    renderError: (ctx, out, error) => {
      const isSessionMissing = error.constructor.name === 'SessionNotFound'
      showError(ctx, { ...out, isSessionMissing, ...unlistedOf(ctx, out.error, config) })
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      resourceIndicators: resourceIndicators(deps),
      introspection: {
        enabled: true,
        allowedPolicy: (ctx, client, token) => mayIntrospect(deps, ctx, client, token),
      },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      backchannelLogout: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx) => logoutAsked(ctx, deps),
        postLogoutSuccessSource: (ctx) => {
          const { body, headers } = loggedOutPage(readerOf(ctx.req))
          ctx.set({ ...headers })
          ctx.body = body
        },
      },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: (ctx, _form, _out, error) => askForCode(ctx, error),
        userCodeConfirmSource: async (ctx, _form, client, _device, userCode) =>
          confirmCode(ctx, {
            ...{ site: detailsOf(client).name, userCode },
            api: await findRequestedApi(deps, client, ctx.oidc.entities.DeviceCode?.params?.['resource']),
            brand: await brandOf(deps.db, await siteOf(deps, client, undefined)),
            platformUrl: config.chatAuthorizeUrl,
          }),
        successSource: showConnected,
      },
    },
  }
}

/**
 * Returns the names of the library's cookies. With https, the prefixes prevent an attacker on the network from setting
 * them and, with `__Host-`, also a sibling subdomain. The cookies of a step have a path, which `__Host-` does not
 * permit.
 */
const cookieNames = (publicUrl: string) => {
  const [host, step] = publicUrl.startsWith('https:') ? ['__Host-', '__Secure-'] : ['', '']
  return {
    session: `${host}svc_oidc`,
    interaction: `${step}svc_oidc_step`,
    resume: `${step}svc_oidc_resume`,
  }
}

/**
 * Keeps the scope `offline_access`, which the library drops unless the member consents at each sign-in. That is not
 * needed here, because a refresh token ends with its session. The parameter `offline` marks that the client sent the
 * scope. The library copies this mark from a pushed request to the authorization request.
 */
function keepOfflineAccess(ctx: KoaContextWithOIDC, mark: string | undefined, client: Client) {
  const { params } = ctx.oidc
  if (!params || !client.grantTypeAllowed('refresh_token')) return
  const body: unknown = 'body' in ctx.oidc ? ctx.oidc.body : undefined
  const sent = ctx.oidc.route === 'authorization' ? ctx.query['scope'] : Object(body)['scope']
  const isWanted = mark === kept || (typeof sent === 'string' && sent.split(' ').includes('offline_access'))
  const scope = typeof params['scope'] === 'string' ? params['scope'].split(' ') : []
  params['offline'] = isWanted ? kept : undefined
  if (isWanted && !scope.includes('offline_access')) params['scope'] = [...scope, 'offline_access'].join(' ')
}
const kept = 'kept'

/**
 * Makes the library not store a session without an expiry. An error page creates such a session for a browser without
 * one. The library would throw while storing it, after the response was sent.
 */
function ownSessions(prototype: Provider['Session']['prototype']) {
  const theirs = prototype.persist
  prototype.persist = async function persist(this: typeof prototype) {
    return typeof this.exp === 'number' ? theirs.call(this) : ''
  }
}

/**
 * Makes the library create credentials in the service's format: a prefix for the kind, 256 random bits, and a checksum.
 * The first refresh token of a device is derived from its code instead.
 */
function ownTokens({ AccessToken, RefreshToken, AuthorizationCode, DeviceCode }: Provider, key: string) {
  const kinds = [
    [AccessToken, 'accessToken'],
    [RefreshToken, 'clientRefresh'],
    [AuthorizationCode, 'clientCode'],
    [DeviceCode, 'deviceCode'],
  ] as const
  for (const [{ prototype }, kind] of kinds) {
    const theirs: unknown = Reflect.get(prototype, 'generateTokenId')
    Object.defineProperty(prototype, 'generateTokenId', {
      value(this: unknown) {
        // The original must be called, too, because it records the format of the token.
        if (typeof theirs === 'function') theirs.call(this)
        const derived = kind === 'clientRefresh' ? refreshTokenOfDevice(key) : undefined
        return derived ?? mintToken(kind)
      },
    })
  }
}

/** Replaces the library's checks of clients' secrets and addresses with those of the service. */
function ownClients(prototype: Client) {
  Object.assign(prototype, {
    /** Accepts any valid API key of the project. */
    compareClientSecret(this: Client, presented: string) {
      const digest = Buffer.from(digestOf(presented))
      return detailsOf(this).keyDigests.some((one) => {
        const known = Buffer.from(one)
        return known.length === digest.length && timingSafeEqual(known, digest)
      })
    },
    redirectUriAllowed(this: Client, uri: string) {
      return isRedirectUriAllowed(this, uri)
    },
    postLogoutRedirectUriAllowed(this: Client, uri: string) {
      return this.postLogoutRedirectUris?.includes(uri) === true
    },
    /** Adds the session ID (`sid`) to every ID token. */
    includeSid: () => true,
  })
}

/**
 * Returns true if a page of this origin may send requests for this client: a public client that runs in the browser.
 */
function isBrowserOrigin(origin: string, { tokenEndpointAuthMethod, redirectUris = [] }: Client): boolean {
  return (
    tokenEndpointAuthMethod === 'none' &&
    redirectUris.some((uri) => /^https?:/i.test(uri) && new URL(uri).origin === origin)
  )
}

/** Returns the redirect URI that a known project has not registered, for the error page. Returns nothing otherwise. */
function unlistedOf({ oidc }: KoaContextWithOIDC, error: string, config: ProviderDeps['config']) {
  const { client, params } = oidc
  const request = params?.['redirect_uri']
  const projectId = client && projectIdOf(client)
  if (error !== 'invalid_redirect_uri' || !projectId || typeof request !== 'string') return {}
  return { unlisted: { ...unlistedUri(config, projectId, request), name: detailsOf(client).name } }
}

function showError(
  ctx: KoaContextWithOIDC,
  {
    error,
    error_description: description,
    ...more
  }: Omit<ProtocolError, 'description'> & { readonly error_description?: string | undefined },
) {
  const { req } = ctx
  const requestId = req instanceof OidcRequest ? req.client.requestId : ''
  const reader = readerOf(req, { hasSwitch: ctx.path === routes.authorization })
  const { body, headers } = errorPage(reader, { error, description, ...more }, requestId)
  ctx.set({ ...headers })
  ctx.body = body
}
