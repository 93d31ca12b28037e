import type { IncomingMessage } from 'node:http'
import { formats } from '@rolecall/contract'
import { isFresh, memberTerms } from '#mirror/freshness'
import { isWellFormed } from '#platform/crypto/tokens'
import { Answer } from '#platform/http/answer'
import { coveredScope } from '#session-memory/access-tokens'
import { systemClock } from '#session-memory/clock'
import { toResponseJson } from '#session-memory/session'
import type { Deps } from '../../deps.ts'
import { metadataOf } from './client-metadata.ts'
import { type ClientRow, clientsReader } from './clients-store.ts'
import { type GrantRequest, readGrantRequest } from './grant-request.ts'
import { readGrantSource } from './grant-source.ts'
import {
  type Granting,
  idTokenClaims,
  issueAccessToken,
  issueRefreshToken,
  tokenTtlSec,
} from './issue-tokens.ts'
import type { OidcCounts } from './oidc-deps.ts'
import { recordsReader } from './records-store.ts'
import type { Redemptions } from './redemptions.ts'
import { type SigningKeys, signJwt } from './signing-keys.ts'
import { digestOfRecord } from './stored-payload.ts'
import { liveMember, sessionOfToken } from './token-session.ts'

type PlainGrantDeps = Pick<Deps, 'db' | 'config' | 'answers' | 'settings'> & {
  readonly counts: OidcCounts
  readonly redemptions: Redemptions
}

/** The path of the token endpoint. A request with any other spelling of the path goes to the library. */
export const tokenPath = '/oidc/token'

/** The value that a client redeems with each grant type: the library's name of the model, and the kind of token. */
const kinds = {
  authorization_code: { model: 'AuthorizationCode', token: 'clientCode' },
  refresh_token: { model: 'RefreshToken', token: 'clientRefresh' },
} as const

/**
 * The headers that the library adds to a response if the request has no `Origin`. The library handles all requests with
 * an `Origin`.
 */
const headers = {
  'cache-control': 'no-store',
  vary: 'Origin',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'WWW-Authenticate',
}

/** Responds to a token request, or returns undefined if the protocol library has to handle it. */
type PlainGrants = (
  request: Pick<IncomingMessage, 'headers' | 'url'>,
  body: Buffer,
  keys: SigningKeys,
) => Promise<Answer | undefined>

/**
 * Creates the fast path for ordinary token requests. It redeems a code or a refresh token, and returns the response
 * that the protocol library would return. It never refuses: if anything is unusual, if a check fails, or if another
 * request redeemed the same value first, it returns undefined, and the library decides. It throws if the database
 * fails.
 */
export function createPlainGrants(deps: PlainGrantDeps): PlainGrants {
  const { db, config, counts, redemptions } = deps
  const findRecord = recordsReader(db)
  const readClient = clientsReader(db, config.chatGuildId)

  /** Returns everything that the new tokens contain, or undefined if a check fails. */
  const find = async (request: GrantRequest, digest: string): Promise<Granting | undefined> => {
    const [row, client] = await Promise.all([findRecord(digest), readClient(request.clientId)])
    const source = readGrantSource(request, row)
    if (!source || !client || !row?.grant || !mayRedeem(client, request)) return undefined
    const known = await sessionOfToken(deps, source.grantId)
    if (known?.session.projectId !== source.clientId || known.session.memberId !== source.accountId)
      return undefined
    if (!isFresh(known, memberTerms(deps.settings.current().permissionTtlMs))) return undefined
    return {
      source,
      isCode: request.grantType === 'authorization_code',
      scope: coveredScope(row.grant.scope, source.scope),
      member: liveMember(known.session, toResponseJson(known, 'rest')),
      rolesInIdToken: client.rolesInIdToken,
      // The library compares the times in a payload with this machine's clock. The row of the token also has an expiry,
      // by the database's clock.
      nowSec: Math.floor(systemClock.wallMs() / 1_000),
      issuer: config.publicUrl,
      refreshTtlSec: config.sessionMaxAgeSec,
    }
  }

  return async (request, body, keys) => {
    const grantRequest = request.url === tokenPath ? readGrantRequest(request.headers, body) : undefined
    if (!grantRequest || !formats.uuid(grantRequest.clientId)) return undefined
    const { model, token } = kinds[grantRequest.grantType]
    if (!isWellFormed(token, grantRequest.value)) return undefined
    const digest = digestOfRecord(model, grantRequest.value)
    const granting = await find(grantRequest, digest)
    if (!granting) return undefined
    const accessToken = issueAccessToken(granting)
    const refreshToken = issueRefreshToken(granting)
    const redemption = { digest, accessToken: accessToken.stored, refreshToken: refreshToken?.stored }
    const [isRedeemed, idToken] = await Promise.all([
      redemptions.redeem(redemption),
      signJwt(keys, idTokenClaims(granting)),
    ])
    // Another request was first. The tokens above were not stored, so they are worthless.
    if (!isRedeemed) return undefined
    counts.answers.count('token', 'ok')
    const response = {
      access_token: accessToken.value,
      expires_in: tokenTtlSec,
      id_token: idToken,
      refresh_token: refreshToken?.value,
      scope: granting.scope,
      token_type: 'Bearer',
    }
    return new Answer(200, response, headers)
  }
}

/** Returns true if the client authenticates as its project requires, and may use this grant type. */
function mayRedeem(client: ClientRow, { grantType, secretDigest }: GrantRequest): boolean {
  const metadata = metadataOf(client)
  if (!metadata?.grant_types?.includes(grantType)) return false
  return client.isPublic
    ? secretDigest === undefined
    : secretDigest !== undefined && client.keyDigests.includes(secretDigest)
}
