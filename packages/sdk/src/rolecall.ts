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
  readonly #asProject: { readonly 'x-api-key': string }
  readonly #send: Transport
  readonly #openStream: OpenStream
  readonly #isCached: boolean
  readonly #cached: CachedSessions
  readonly #members: ReturnType<typeof createMembers>

  /** Inbound webhooks: submitting to them, signing, and the project's own. */
  readonly webhooks: Webhooks

  /** @throws TypeError that names what is missing, or is no address or key of a project. */
  constructor(options: RolecallOptions) {
    const { baseUrl, apiKey, timeoutMs = 10_000, retries = 2, cache = false, fetch: given } = options
    requiredText({ baseUrl, apiKey })
    checkKey(apiKey)
    this.#baseUrl = addressOf(baseUrl)
    this.#asProject = { 'x-api-key': apiKey }
    // Called without a receiver: edge runtimes refuse a `fetch` that is called as a method.
    const call = given ?? globalThis.fetch
    const fetch: typeof call = (input, init) => call(input, init)
    this.#send = createTransport({ baseUrl: this.#baseUrl, timeoutMs, retries, fetch })
    this.#openStream = openByFetch(fetch)
    this.#isCached = cache !== false
    this.#cached = createCachedSessions(
      {
        baseUrl: this.#baseUrl,
        headers: this.#asProject,
        openStream: (given ? undefined : quietStream()) ?? this.#openStream,
      },
      typeof cache === 'object' ? cache : {},
    )
    this.#members = createMembers(this.#send, this.#asProject)
    this.webhooks = createWebhooks(this.#send, this.#asProject)
  }

  /**
   * The address to send a browser to for a login. It comes back to `redirectUri` with `code`, `state` and
   * `iss`, or with `error`, `error_description`, `state` and `iss`.
   *
   * @example
   * const login = mintLogin()
   * const url = await rolecall.authorizeUrl({ ...login, clientId, redirectUri, serverId })
   */
  authorizeUrl(login: Authorize): Promise<string> {
    return authorizeUrl(this.#baseUrl, login)
  }

  /**
   * Exchanges the code of a redirect for a session. Check first that `state` is the one you minted for this
   * browser. Refused with `INVALID_CODE` when the code is unknown, used, expired or another project's.
   *
   * @example
   * const { token, refreshToken, member, roles } = await rolecall.exchange({ clientId, code, redirectUri, codeVerifier })
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
   * Who is this, and what roles do they hold right now? Resolves to undefined when the token is not that of a
   * live session of this project: expired, revoked, made up, or not there at all. Whatever else goes wrong
   * rejects, so that an outage is never mistaken for a logout.
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
    const known = this.#cached.find(token)
    if (known) return known
    // Whoever may end a call early has it alone.
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
   * Ends one session, by its session token or its refresh token. A session that has ended already is no error.
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
    }).finally(() => this.#cached.forget(keyOf.token(token)))
  }

  /**
   * Ends all sessions of a member in this project; those in other projects go on.
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
  async refresh({ token, refreshToken }: Pair, options?: CallOptions): Promise<RefreshedPair> {
    return refreshPair(this.#send, { token, refreshToken }, options).finally(() =>
      this.#cached.forget(keyOf.token(token)),
    )
  }

  /**
   * The live sessions of the token's member, newest first, those in other projects too.
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
   * Revokes one of the sessions of the token's member. Refused with `SESSION_NOT_FOUND` when it is not theirs.
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
    }).finally(() => this.#cached.forget(keyOf.session(sessionId)))
  }

  /**
   * Calls back when a session or its roles may have changed, as the events tell that `cache` listens to: `validate()`
   * then answers anew. Until the function that it returns is called.
   *
   * @example
   * const stop = rolecall.watch(session, async () => show(await rolecall.validate(token)))
   */
  watch({ session, member }: Session, onChange: () => void): () => void {
    return this.#cached.watch(keysOfSession(session, member.id), onChange)
  }

  /**
   * Ends everything that the token's member is logged in by, in all projects, with single sign-on in every browser. The
   * session that asks ends, too.
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
    }).finally(() => this.#cached.forget(keyOf.token(token)))
  }

  /**
   * The members of a server, with their roles, asked for in pages as they are read. Refused with `SCOPE_REQUIRED` where
   * the project may not read them.
   *
   * @example
   * for await (const { username, roles } of rolecall.members(serverId)) console.log(username, roles.length)
   */
  members(serverId: string, options?: ListOptions): AsyncGenerator<ServerMember, void, undefined> {
    return this.#members.list(serverId, options)
  }

  /** What changed since a cursor, nothing left out; without one, where to begin: keep that, then read all `members()`. */
  memberChanges(serverId: string, since?: string, options?: CallOptions) {
    return this.#members.changes(serverId, since, options)
  }

  /**
   * One member of a server, with the roles they hold now; undefined when they are not in it.
   *
   * @example
   * const member = await rolecall.member(serverId, memberId)
   */
  member(serverId: string, memberId: string, options?: CallOptions): Promise<ServerMember | undefined> {
    return this.#members.find(serverId, memberId, options)
  }

  /**
   * Whether a member holds roles right now, without a session of theirs: at least one of `anyOf`, every one of `allOf`.
   * Refused with `SCOPE_REQUIRED`.
   *
   * @example
   * const { allowed } = await rolecall.checkPermissions(serverId, { memberId, anyOf: [crewRoleId] })
   */
  checkPermissions(serverId: string, check: PermissionCheck, options?: CallOptions) {
    return this.#members.check(serverId, check, options)
  }

  /** The same of up to 1,000 members, in their order; nobody is asked for anew, and `rolesSource` says how fresh each is. */
  checkManyPermissions(serverId: string, check: ManyPermissionsCheck, options?: CallOptions) {
    return this.#members.checkMany(serverId, check, options)
  }

  /**
   * What happens to the project's sessions and members, as it happens and across lost connections. The iteration goes
   * on until it is left, and keeps the process alive meanwhile. At `reset` discard what you have stored.
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

  /** Lets go of the connection that `cache` holds, so that the process can end. A later `validate()` opens it again. */
  close(): void {
    this.#cached.close()
  }
}

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
