import { toBase64Url } from './base64url.ts'
import { type CachedSessions, createCachedSessions } from './cached-sessions.ts'
import type { Endpoints, NewSession, Session, SessionListItem } from './contract-types.ts'
import { openByFetch, quietStream } from './open-stream.ts'
import { RolecallError } from './rolecall-error.ts'
import { type CacheOptions, keyOf } from './session-cache.ts'
import { sign } from './sign.ts'
import { createTransport, type Transport } from './transport.ts'

export interface RolecallOptions {
  /** Where the service is, as browsers reach it too: `https://rolecall.example`. */
  readonly baseUrl: string | URL
  /** The project's API key, `rck_…`. Server-side only: never ship it to a browser. */
  readonly apiKey: string
  /** Longest time for one call in milliseconds. Default 10,000. */
  readonly timeoutMs?: number
  /**
   * Answer `validate()` from memory where possible, kept true by the service's events. For processes that live on;
   * end with `close()`. Default: ask each time.
   */
  readonly cache?: boolean | CacheOptions
  /** Another `fetch`, e.g. one with a proxy. Default: the runtime's. */
  readonly fetch?: typeof fetch
}

/** Taken by every call. */
export interface CallOptions {
  /** Ends the call early; it then rejects with the signal's reason, as `fetch` does. */
  readonly signal?: AbortSignal
  /** Instead of the client's `timeoutMs`. */
  readonly timeoutMs?: number
}

/** Taken by `validate()`. */
export interface ValidateOptions extends CallOptions {
  /** From memory where possible, or asking each time; instead of the client's `cache`. */
  readonly cache?: boolean
}

/** What a session consists of. Keep it on your server, and replace both after a refresh. */
export interface Pair {
  readonly token: string
  readonly refreshToken: string
}

export interface Authorize {
  /** The project's id. */
  readonly clientId: string
  /** One of the project's redirect URIs, byte for byte. */
  readonly redirectUri: string
  /** The chat server whose members may log in. */
  readonly serverId: string
  /** Comes back unchanged; see `mintLogin()`. */
  readonly state: string
  /** Binds the code to whoever holds this (PKCE); `exchange()` then needs it too. */
  readonly codeVerifier?: string
  /** Skip the chat platform's screen for a browser that logged in before. */
  readonly sso?: boolean
}

export interface Exchange {
  readonly clientId: string
  /** From the redirect's query. Good once, for 60 seconds. */
  readonly code: string
  /** The same as in `authorizeUrl()`. */
  readonly redirectUri: string
  /** Needed when `authorizeUrl()` had one. */
  readonly codeVerifier?: string
  /** The browser you act for; shown in its member's list of sessions. */
  readonly client?: { readonly ip?: string | undefined; readonly userAgent?: string | undefined }
}

/**
 * A project's connection to Rolecall. Make one and share it: besides its options it holds the sessions of `cache`.
 *
 * Every call rejects with a `RolecallError` when it is refused or does not get through.
 *
 * @example
 * const rolecall = new Rolecall({ baseUrl: 'https://rolecall.example', apiKey: keyFromYourSecrets })
 */
export class Rolecall {
  readonly #baseUrl: string
  /** Private, so that a logged client does not show it. */
  readonly #apiKey: string
  readonly #send: Transport
  readonly #isCached: boolean
  readonly #cached: CachedSessions

  /** For those who send submissions to inbound webhooks. */
  readonly webhooks = { sign }

  /** @throws TypeError when `baseUrl` is no address or `apiKey` cannot be one, e.g. because it is not set. */
  constructor({ baseUrl, apiKey, timeoutMs = 10_000, cache = false, fetch: given }: RolecallOptions) {
    if (!/^[\x21-\x7e]+$/.test(apiKey ?? ''))
      throw new TypeError('apiKey must be the key of a project: rck_…')
    this.#baseUrl = new URL(baseUrl).href.replace(/\/+$/, '')
    this.#apiKey = apiKey
    // Called without a receiver: edge runtimes refuse a `fetch` that is called as a method.
    const call = given ?? globalThis.fetch
    const fetch: typeof call = (input, init) => call(input, init)
    this.#send = createTransport({ baseUrl: this.#baseUrl, fetch, timeoutMs })
    this.#isCached = cache !== false
    this.#cached = createCachedSessions(
      {
        baseUrl: this.#baseUrl,
        headers: this.#asProject(),
        openStream: (given ? undefined : quietStream()) ?? openByFetch(fetch),
      },
      typeof cache === 'object' ? cache : {},
    )
  }

  /**
   * The address to send a browser to for a login. It comes back to `redirectUri` with `code`, `state` and
   * `iss`, or with `error`, `error_description`, `state` and `iss`.
   *
   * @example
   * const login = mintLogin()
   * const url = await rolecall.authorizeUrl({ ...login, clientId, redirectUri, serverId })
   */
  async authorizeUrl({
    clientId,
    redirectUri,
    serverId,
    state,
    codeVerifier,
    sso,
  }: Authorize): Promise<string> {
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      server_id: serverId,
      state,
    })
    if (codeVerifier !== undefined) {
      query.set('code_challenge', await challengeOf(codeVerifier))
      query.set('code_challenge_method', 'S256')
    }
    return `${this.#baseUrl}/api/auth/${sso ? 'sso/' : ''}authorize?${query}`
  }

  /**
   * Exchanges the code of a redirect for a session. Check first that `state` is the one you minted for this
   * browser. Refused with `INVALID_CODE` when the code is unknown, used, expired or another project's.
   *
   * @example
   * const { token, refreshToken, member, roles } = await rolecall.exchange({ clientId, code, redirectUri, codeVerifier })
   */
  exchange(
    { clientId, code, redirectUri, codeVerifier, client }: Exchange,
    options?: CallOptions,
  ): Promise<NewSession> {
    return this.#send<Endpoints['exchangeCode']>({
      method: 'POST',
      path: '/api/auth/token',
      body: { clientId, code, redirectUri, ...(codeVerifier !== undefined && { codeVerifier }) },
      headers: {
        ...this.#asProject(),
        ...(client?.ip && { 'x-client-ip': headerSafe(client.ip) }),
        ...(client?.userAgent && { 'x-client-user-agent': headerSafe(client.userAgent) }),
      },
      ...options,
    })
  }

  /**
   * Who is this, and what roles do they hold right now? Resolves to undefined when the token is not that of a
   * live session of this project: expired, revoked, made up, or not there at all. Whatever else goes wrong
   * rejects, so that an outage is never mistaken for a logout.
   *
   * @example
   * const session = await rolecall.validate(tokenFromCookie)
   * if (!session) return redirectToLogin()
   * const isCrew = session.roles.some(({ roleId }) => roleId === crewRoleId)
   */
  async validate(token: string | undefined, options: ValidateOptions = {}): Promise<Session | undefined> {
    if (!token) return undefined
    const { cache = this.#isCached, ...call } = options
    const load = () =>
      this.#send<Endpoints['validateSession']>({
        method: 'POST',
        path: '/api/auth/validate',
        body: { token },
        headers: this.#asProject(),
        ...call,
      }).catch(noneIfNotLive)
    if (!cache) return load()
    call.signal?.throwIfAborted()
    // Whoever may end a call early has it alone.
    return this.#cached.validate(token, load, !call.signal && call.timeoutMs === undefined)
  }

  /**
   * Ends one session, by its session token or its refresh token. A session that has ended already is no error.
   *
   * @example
   * await rolecall.logout(token)
   */
  async logout(token: string, options?: CallOptions): Promise<void> {
    await this.#send<Endpoints['logout']>({
      method: 'POST',
      path: '/api/auth/logout',
      body: { token },
      headers: this.#asProject(),
      ...options,
    }).finally(() => this.#cached.forget(keyOf.token(token)))
  }

  /**
   * Ends all sessions of a member in this project; those in other projects go on.
   *
   * @example
   * await rolecall.logoutAll(session.member.id)
   */
  async logoutAll(memberId: string, options?: CallOptions): Promise<void> {
    await this.#send<Endpoints['logoutAll']>({
      method: 'POST',
      path: '/api/auth/logout-all',
      body: { memberId },
      headers: this.#asProject(),
      ...options,
    }).finally(() => this.#cached.forget(keyOf.member(memberId)))
  }

  /**
   * Rotates a session's pair and moves its expiry on. Both old values are invalid once this resolves: store
   * the new pair at once. Refused with `REFRESH_TOKEN_SUPERSEDED` when a concurrent call was first (use the
   * pair that it got), with `REFRESH_TOKEN_REUSED` when a used pair came back late (the session is revoked).
   *
   * @example
   * Object.assign(stored, await rolecall.refresh(stored))
   */
  async refresh(
    { token, refreshToken }: Pair,
    options?: CallOptions,
  ): Promise<Pair & { readonly expiresAt: string }> {
    const rotated = await this.#send<Endpoints['refreshSession']>({
      method: 'POST',
      path: '/api/auth/token/refresh',
      body: { refreshToken },
      headers: asMember(token),
      ...options,
    }).finally(() => this.#cached.forget(keyOf.token(token)))
    const { accessToken, refreshToken: next, expiresAt } = rotated
    if (accessToken === undefined || next === undefined) {
      throw new RolecallError('UNEXPECTED_RESPONSE', 'The service answered a refresh without a pair.')
    }
    return { token: accessToken, refreshToken: next, expiresAt }
  }

  /**
   * The live sessions of the token's member, newest first, those in other projects too.
   *
   * @example
   * for (const { id, clientInfo } of await rolecall.sessions(token)) console.log(id, clientInfo?.userAgent)
   */
  async sessions(token: string, options?: CallOptions): Promise<readonly SessionListItem[]> {
    const { sessions } = await this.#send<Endpoints['listSessions']>({
      method: 'GET',
      path: '/api/auth/sessions',
      headers: asMember(token),
      ...options,
    })
    return sessions
  }

  /**
   * Revokes one of the sessions of the token's member. Refused with `SESSION_NOT_FOUND` when it is not theirs.
   *
   * @example
   * await rolecall.revokeSession(token, sessionId)
   */
  async revokeSession(token: string, sessionId: string, options?: CallOptions): Promise<void> {
    await this.#send<Endpoints['revokeSession']>({
      method: 'DELETE',
      path: '/api/auth/sessions/{sessionId}',
      params: { sessionId },
      headers: asMember(token),
      ...options,
    }).finally(() => this.#cached.forget(keyOf.session(sessionId)))
  }

  /** Lets go of the connection that `cache` holds, so that the process can end. A later `validate()` opens it again. */
  close(): void {
    this.#cached.close()
  }

  #asProject() {
    return { 'x-api-key': this.#apiKey }
  }
}

const asMember = (token: string) => ({ authorization: `Bearer ${headerSafe(token)}` })

/**
 * Tokens come from cookies, which anyone can write: one that does not even look like a token (`VALIDATION_FAILED` or
 * `PAYLOAD_TOO_LARGE`, as the token is all that is sent) is as much "not logged in" as one that has expired.
 */
function noneIfNotLive(error: unknown): undefined {
  if (
    error instanceof RolecallError &&
    /^(INVALID_TOKEN|VALIDATION_FAILED|PAYLOAD_TOO_LARGE)$/.test(error.code)
  )
    return
  throw error
}

/** RFC 7636 §4.2, S256. */
async function challengeOf(codeVerifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  return toBase64Url(new Uint8Array(digest))
}

/** What browsers send is passed on; what no header may carry is left out rather than failing a login. */
const headerSafe = (value: string) => value.replace(/[^\x20-\x7e\x80-\xff]/g, '')
