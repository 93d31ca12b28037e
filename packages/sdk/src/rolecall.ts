import { type CachedSessions, createCachedSessions } from './cached-sessions.ts'
import { addressOf, checkKey } from './connection.ts'
import type { Endpoints, NewSession, ServerMember, Session, SessionListItem } from './contract-types.ts'
import { EventFeed, type EventsOptions } from './events.ts'
import { deepFrozen } from './freeze.ts'
import { type Authorize, authorizeUrl, type Exchange, type Pair } from './login.ts'
import {
  createMembers,
  type ListOptions,
  type ManyPermissionsCheck,
  type PermissionCheck,
} from './members.ts'
import { type OpenStream, openByFetch, quietStream } from './open-stream.ts'
import type { RolecallOptions, ValidateOptions } from './options.ts'
import { type RefreshedPair, refreshPair } from './refresh-pair.ts'
import { required, requiredText } from './required.ts'
import { RolecallError } from './rolecall-error.ts'
import { keyOf, keysOfSession } from './session-cache.ts'
import { maybeSessionToken } from './session-token.ts'
import { asMember, type CallOptions, createTransport, headerSafe, type Transport } from './transport.ts'
import { createWebhooks, type Webhooks } from './webhooks.ts'

/**
 * A client for one project. Create one per process and share it, because the `cache` option keeps sessions in memory.
 * Every call rejects with a `RolecallError` if the service refuses it or does not respond in time.
 *
 * @example
 * const rolecall = new Rolecall({ baseUrl: 'https://rolecall.example', apiKey: keyFromYourSecrets })
 */
export class Rolecall {
  readonly #baseUrl: string
  /** Private, so that logging the client does not reveal the key. */
  readonly #asProject: { readonly 'x-api-key': string }
  readonly #send: Transport
  readonly #openStream: OpenStream
  readonly #isCached: boolean
  readonly #cached: CachedSessions
  readonly #members: ReturnType<typeof createMembers>

  /** The project's inbound webhooks: create and change them, sign and submit payloads, and read submissions. */
  readonly webhooks: Webhooks

  /** @throws TypeError that names each missing option, or an option that is not valid */
  constructor(options: RolecallOptions) {
    const { baseUrl, apiKey, timeoutMs = 10_000, retries = 2, cache = false, fetch: fetchOption } = options
    requiredText({ baseUrl, apiKey })
    checkKey(apiKey)
    this.#baseUrl = addressOf(baseUrl)
    this.#asProject = { 'x-api-key': apiKey }
    // Calls `fetch` without a receiver: edge runtimes reject a `fetch` that is called as a method.
    const call = fetchOption ?? globalThis.fetch
    const fetch: typeof call = (input, init) => call(input, init)
    this.#send = createTransport({ baseUrl: this.#baseUrl, timeoutMs, retries, fetch })
    this.#openStream = openByFetch(fetch)
    this.#isCached = cache !== false
    this.#cached = createCachedSessions(
      {
        baseUrl: this.#baseUrl,
        headers: this.#asProject,
        openStream: (fetchOption ? undefined : quietStream()) ?? this.#openStream,
      },
      typeof cache === 'object' ? cache : {},
    )
    this.#members = createMembers(this.#send, this.#asProject)
    this.webhooks = createWebhooks(this.#send, this.#asProject)
  }

  /**
   * Returns the URL at which a browser signs in. The browser returns to `redirectUri` with `code`, `state`, and `iss`,
   * or with `error`, `error_description`, `state`, and `iss`.
   *
   * @example
   * const login = mintLogin()
   * const url = await rolecall.authorizeUrl({ ...login, clientId, redirectUri, serverId })
   */
  authorizeUrl(login: Authorize): Promise<string> {
    return authorizeUrl(this.#baseUrl, login)
  }

  /**
   * Exchanges the code of a redirect for a session. First check that `state` equals the state that `mintLogin()`
   * returned for this browser. Rejects with `INVALID_CODE` if the code is unknown, used, expired, or another project's.
   *
   * @example
   * const { token, refreshToken } = await rolecall.exchange({ clientId, code, redirectUri, codeVerifier })
   */
  async exchange(
    { clientId, code, redirectUri, codeVerifier, client }: Exchange,
    options?: CallOptions,
  ): Promise<NewSession> {
    required({ clientId, code, redirectUri })
    return this.#send<Endpoints['exchangeCode']>({
      method: 'POST',
      path: '/api/auth/token',
      body: { clientId, code, redirectUri, ...(codeVerifier !== undefined && { codeVerifier }) },
      headers: {
        ...this.#asProject,
        ...(client?.ip && { 'x-client-ip': headerSafe(client.ip) }),
        ...(client?.userAgent && { 'x-client-user-agent': headerSafe(client.userAgent) }),
      },
      ...options,
    })
  }

  /**
   * Returns the session of a token, with the member's current roles. While Discord is unreachable, they are the last
   * known roles: see `rolesSource` and `rolesAsOf`. Resolves to undefined if the token does not belong to a live
   * session of this project. Rejects on every other failure, so that an outage is never mistaken for a logout.
   *
   * @example
   * const session = await rolecall.validate(tokenFromCookie)
   * if (!session) return redirectToLogin()
   * const isCrew = session.roles.some(({ roleId }) => roleId === crewRoleId)
   */
  async validate(token: string | undefined, options?: ValidateOptions): Promise<Session | undefined> {
    if (!token || !maybeSessionToken(token)) return undefined
    if (!(options?.cache ?? this.#isCached)) return this.#load(token, options)
    options?.signal?.throwIfAborted()
    const cached = this.#cached.find(token)
    if (cached) return cached
    // A caller with its own signal or timeout gets its own request, which it can end early.
    const isShared = !options?.signal && options?.timeoutMs === undefined
    return this.#cached.load(token, () => this.#load(token, options), isShared)
  }

  #load(token: string, { signal, timeoutMs }: CallOptions = {}): Promise<Session | undefined> {
    return this.#send<Endpoints['validateSession']>({
      method: 'POST',
      path: '/api/auth/validate',
      body: { token },
      headers: this.#asProject,
      isRepeatable: true,
      ...(signal && { signal }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    }).then(deepFrozen, noneIfNotLive)
  }

  /**
   * Ends one session, by its session token or its refresh token. Also resolves if the session has already ended.
   *
   * @example
   * await rolecall.logout(token)
   */
  async logout(token: string, options?: CallOptions): Promise<void> {
    required({ token })
    await this.#send<Endpoints['logout']>({
      method: 'POST',
      path: '/api/auth/logout',
      body: { token },
      headers: this.#asProject,
      isRepeatable: true,
      ...options,
    }).finally(() => this.#cached.evict(keyOf.token(token)))
  }

  /**
   * Ends all sessions of a member in this project. To end them in all projects, use `revokeAllSessions()`.
   *
   * @example
   * await rolecall.logoutAll(session.member.id)
   */
  async logoutAll(memberId: string, options?: CallOptions): Promise<void> {
    required({ memberId })
    await this.#send<Endpoints['logoutAll']>({
      method: 'POST',
      path: '/api/auth/logout-all',
      body: { memberId },
      headers: this.#asProject,
      isRepeatable: true,
      ...options,
    }).finally(() => this.#cached.evict(keyOf.member(memberId)))
  }

  /**
   * Replaces both tokens of a live session and extends its expiry. The old tokens are invalid once this resolves, so
   * store the new ones at once. Rejects with `REFRESH_TOKEN_SUPERSEDED` if a concurrent call was first (use the pair
   * that it received), and with `REFRESH_TOKEN_REUSED` if a used pair was sent late (the session is then revoked).
   *
   * @example
   * Object.assign(stored, await rolecall.refresh(stored))
   */
  async refresh({ token, refreshToken }: Pair, options?: CallOptions): Promise<RefreshedPair> {
    return refreshPair(this.#send, { token, refreshToken }, options).finally(() =>
      this.#cached.evict(keyOf.token(token)),
    )
  }

  /**
   * Returns the live sessions of the token's member, newest first, including those in other projects.
   *
   * @example
   * for (const { id, clientInfo } of await rolecall.sessions(token)) console.log(id, clientInfo?.userAgent)
   */
  async sessions(token: string, options?: CallOptions): Promise<readonly SessionListItem[]> {
    required({ token })
    const { sessions } = await this.#send<Endpoints['listSessions']>({
      method: 'GET',
      path: '/api/auth/sessions',
      headers: asMember(token),
      isRepeatable: true,
      ...options,
    })
    return sessions
  }

  /**
   * Revokes one session of the token's member. Rejects with `SESSION_NOT_FOUND` if it is not the member's session.
   *
   * @example
   * await rolecall.revokeSession(token, sessionId)
   */
  async revokeSession(token: string, sessionId: string, options?: CallOptions): Promise<void> {
    required({ token })
    requiredText({ sessionId })
    await this.#send<Endpoints['revokeSession']>({
      method: 'DELETE',
      path: '/api/auth/sessions/{sessionId}',
      params: { sessionId },
      headers: asMember(token),
      ...options,
    }).finally(() => this.#cached.evict(keyOf.session(sessionId)))
  }

  /**
   * Ends all sessions of the token's member, in all projects (unlike `logoutAll`), and single sign-on in every browser.
   *
   * @example
   * await rolecall.revokeAllSessions(token)
   */
  async revokeAllSessions(token: string, options?: CallOptions): Promise<void> {
    required({ token })
    await this.#send<Endpoints['revokeAllSessions']>({
      method: 'DELETE',
      path: '/api/auth/sessions',
      headers: asMember(token),
      ...options,
    }).finally(() => this.#cached.evict(keyOf.token(token)))
  }

  /**
   * Calls `onChange` when a session or its roles may have changed. Returns a function to stop. Needs the event stream
   * of the `cache`, which closes a minute after the last `validate()`. Without it, only this client's calls count.
   *
   * @example
   * const stop = rolecall.watch(session, async () => show(await rolecall.validate(token)))
   */
  watch({ session, member }: Session, onChange: () => void): () => void {
    return this.#cached.watch(keysOfSession(session, member.id), onChange)
  }

  /**
   * Iterates over the members of a server, with their roles. Requests each page when the iteration reaches it. Rejects
   * with `SCOPE_REQUIRED` if the project may not read them.
   *
   * @example
   * for await (const { username, roles } of rolecall.members(serverId)) console.log(username, roles.length)
   */
  members(serverId: string, options?: ListOptions): AsyncGenerator<ServerMember, void, undefined> {
    return this.#members.list(serverId, options)
  }

  /**
   * Returns all changes since a cursor. Without `since` it returns the cursor to start from: store it, then read all
   * `members()`.
   *
   * @example
   * const { changed, removed, cursor } = await rolecall.memberChanges(serverId, storedCursor)
   */
  memberChanges(serverId: string, since?: string, options?: CallOptions) {
    return this.#members.changes(serverId, since, options)
  }

  /**
   * Returns one member of a server, with the roles that they hold now, or undefined if they are not in the server.
   *
   * @example
   * const member = await rolecall.member(serverId, memberId)
   */
  member(serverId: string, memberId: string, options?: CallOptions): Promise<ServerMember | undefined> {
    return this.#members.find(serverId, memberId, options)
  }

  /**
   * Checks whether a member has roles at this moment: at least one of `anyOf`, and all of `allOf`. The member needs no
   * session. Rejects with `SCOPE_REQUIRED` if the project may not check them.
   *
   * @example
   * const { allowed } = await rolecall.checkPermissions(serverId, { memberId, anyOf: [crewRoleId] })
   */
  checkPermissions(serverId: string, check: PermissionCheck, options?: CallOptions) {
    return this.#members.check(serverId, check, options)
  }

  /**
   * Checks up to 1,000 members, and returns the results in the order of their IDs in the call. Does not query Discord,
   * so see `rolesSource` for how fresh each result is.
   *
   * @example
   * const results = await rolecall.checkManyPermissions(serverId, { memberIds, anyOf: [crewRoleId] })
   */
  checkManyPermissions(serverId: string, check: ManyPermissionsCheck, options?: CallOptions) {
    return this.#members.checkMany(serverId, check, options)
  }

  /**
   * Iterates over events about the project's sessions and members, as they happen and across lost connections. The
   * iteration continues until you leave it or the project is disabled, and keeps the process alive meanwhile. It throws
   * a `RolecallError` if the service refuses the stream permanently, e.g. because the API key was revoked. A `reset`
   * event means that events may be missing: discard the state that you derived from earlier events.
   *
   * @example
   * for await (const event of rolecall.events({ after: stored })) {
   *   if (event.type === 'member.left') await archive(event.data.memberId)
   *   stored = event.id
   * }
   */
  events(options: EventsOptions = {}): EventFeed {
    return new EventFeed(this.#baseUrl, this.#asProject, this.#openStream, options)
  }

  /** Closes the connection that the `cache` holds, so that the process can end. A later `validate()` opens it again. */
  close(): void {
    this.#cached.close()
  }
}

/**
 * Returns undefined if the error says that the token is not valid. Throws every other error. Anyone can write any value
 * into a cookie. So a value that does not look like a token counts as an expired token: `VALIDATION_FAILED`, or
 * `PAYLOAD_TOO_LARGE` if it is very long.
 */
function noneIfNotLive(error: unknown): undefined {
  if (
    error instanceof RolecallError &&
    /^(INVALID_TOKEN|VALIDATION_FAILED|PAYLOAD_TOO_LARGE)$/.test(error.code)
  )
    return
  throw error
}
