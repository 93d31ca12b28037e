import { digestOfTokenless } from '#platform/crypto/tokens'
import type { AccessTokenRow, ClientFact } from './access-tokens-store.ts'
import type { Change } from './change.ts'
import { type Fact, Facts } from './facts.ts'

/**
 * A cached OpenID Connect access token, with the fields that responses about it need. Tokens for an API are not cached.
 */
export interface AccessToken {
  /** The digest under which the session of this token is cached. */
  readonly sessionDigest: string
  readonly memberId: string
  /** True if the token's record names the session. Introspection then returns `sid`. */
  readonly hasSid: boolean
  readonly scope: string
  /** The part of `scope` that the session was granted, in the order of the grant. */
  readonly grantedScope: string
  readonly issuedAtSec: number
  readonly expiresAtSec: number
  /** The expiry of the stored record, by the database's clock. */
  readonly expiresAtMs: number
  /** The project that the token was issued to. */
  readonly client: Fact<ClientFact>
}

/** Returns the part of a granted scope that a code or token covers, in the order of the grant. */
export function coveredScope(granted: string, scope: string): string {
  const covered = new Set(scope.split(' '))
  return granted
    .split(' ')
    .filter((one) => covered.has(one))
    .join(' ')
}

/** The maximum number of cached tokens. At the limit, the oldest ones are evicted. They also expire first. */
const maxTokens = 100_000

/**
 * Caches access tokens by the digest of their record. A token is dropped when it expires, or when the token or its
 * client changes.
 */
export class AccessTokens {
  readonly #tokens = new Map<string, AccessToken>()
  readonly #clients = new Facts<ClientFact>()

  get size(): number {
    return this.#tokens.size
  }

  /** Returns a cached token that is still valid at this time. */
  get(digest: string, nowMs: number): AccessToken | undefined {
    const token = this.#tokens.get(digest)
    if (token === undefined) return undefined
    // Both times count: the expiry of the stored record, and that of the token (`exp`).
    if (!token.client.isInvalid && token.expiresAtMs > nowMs && token.expiresAtSec * 1_000 > nowMs)
      return token
    this.#drop(digest, token)
    return undefined
  }

  /** Caches the token of a row, unless it has no grant, no client, or fields of another kind of token. */
  add(digest: string, row: AccessTokenRow, nowMs: number): void {
    const { grant, client, sessionId, expiresAtMs } = row
    const payload = readPayload(row)
    if (!payload || !grant || !client || sessionId === null || payload.clientId !== grant.projectId) return
    this.#makeRoom(nowMs)
    const cached = this.#tokens.get(digest)
    if (cached) this.#drop(digest, cached)
    const fact = this.#clients.use(grant.projectId, client)
    // The change log does not contain added keys, so each read replaces the cached ones.
    fact.value = client
    const grantedScope = coveredScope(grant.scope, payload.scope)
    this.#tokens.set(digest, {
      sessionDigest: digestOfTokenless(sessionId),
      memberId: payload.accountId,
      hasSid: payload.sid !== undefined,
      scope: payload.scope,
      grantedScope: grantedScope === payload.scope ? payload.scope : grantedScope,
      issuedAtSec: payload.iat,
      expiresAtSec: payload.exp,
      expiresAtMs,
      client: fact,
    })
  }

  applyChange(change: Change): void {
    if (change.kind === 'token') {
      const token = this.#tokens.get(change.digest)
      if (token) this.#drop(change.digest, token)
    } else if (change.kind === 'project') this.#clients.invalidate(change.projectId)
    // Clients without a server of their own use the main server, which may have changed.
    else if (change.kind === 'server') this.#clients.invalidateAll()
    else if (change.kind === 'key') this.#invalidateClientOf(change.keyDigest)
  }

  clear(): void {
    this.#clients.invalidateAll()
    this.#tokens.clear()
  }

  #invalidateClientOf(keyDigest: string): void {
    for (const { id, value } of this.#clients.values()) {
      if (value.keys.some(({ digest }) => digest === keyDigest)) this.#clients.invalidate(id)
    }
  }

  #makeRoom(nowMs: number): void {
    for (const [digest, token] of this.#tokens) {
      if (this.#tokens.size < maxTokens && token.expiresAtMs > nowMs) return
      this.#drop(digest, token)
    }
  }

  #drop(digest: string, token: AccessToken): void {
    this.#tokens.delete(digest)
    this.#clients.release(token.client)
  }
}

interface Payload {
  readonly accountId: string
  readonly clientId: string
  readonly scope: string
  readonly iat: number
  readonly exp: number
  readonly sid?: string
}

/**
 * The fields of a token record that can be cached. The library handles a token with any other field, such as a token
 * for an API.
 */
const plainFields = new Set([
  ...['kind', 'accountId', 'clientId', 'grantId', 'scope', 'iat', 'exp', 'sid', 'gty', 'sessionUid'],
  'expiresWithSession',
])

function readPayload({ payload, sessionId }: AccessTokenRow): Payload | undefined {
  const read = JSON.parse(payload) as Payload & Record<string, unknown>
  const isPlain =
    Object.keys(read).every((field) => plainFields.has(field)) &&
    read['kind'] === 'AccessToken' &&
    read['grantId'] === sessionId &&
    (read.sid === undefined || read.sid === sessionId) &&
    !read['expiresWithSession'] &&
    typeof read.scope === 'string' &&
    typeof read.iat === 'number' &&
    typeof read.exp === 'number'
  return isPlain ? read : undefined
}
