import type { Deps } from '@rolecall/api/deps'
import { digestOf } from '@rolecall/api/platform/crypto/tokens'
import { addMembers, copyCodes, copySessions, type Pair, settle } from './copies.ts'
import { issue, memberOf } from './logins.ts'
import { asClient, grantRecords, makeClient } from './oidc-records.ts'
import { numberCodes, numberSessions, plainExchange, plainLogout, plainRefresh } from './plain-changes.ts'
import { redirectUri, roleIds, seedSessions, serverId } from './seed.ts'
import type { Requests } from './wrk.ts'

const members = 50_000
const scope = 'openid profile email roles offline_access'

/** A change that the benchmark requests: a refresh, a logout, or an exchange. */
export interface Requested {
  readonly id: string
  readonly title: string
  /** The name of its row in the table. */
  readonly name: string
  readonly path: string
  readonly requests: Requests
}

/** A change by an endpoint of the service, with the same change by pgbench and by OpenID Connect. */
export interface Change extends Requested {
  /** The same change, as pgbench sends it. */
  readonly statement: string
  /** The same change, as clients of OpenID Connect request it. */
  readonly byProtocol?: Requested
}

/**
 * Creates the rows that the changes use up: `supply` of each kind, and `protocolSupply` of each kind of OpenID Connect.
 */
export async function makeSupply(
  deps: Deps,
  { supply, protocolSupply }: { readonly supply: number; readonly protocolSupply: number },
) {
  const { db } = deps
  console.log(`${2 * supply} codes, ${4 * supply} sessions, ${members} members for changes`)
  const { apiKey, tokens, projectId } = await seedSessions(deps, 1)
  const [token = ''] = tokens
  const code = await issue(deps, projectId, await memberOf(deps, token))
  const others = await addMembers(db, serverId, roleIds, members)
  await numberCodes(db, digestOf(code), supply, others)
  for (const kind of ['refresh', 'logout'] as const)
    await numberSessions(db, kind, digestOf(token), supply, others)
  const toRefresh = await copySessions(db, token, supply, others)
  const toEnd = await copySessions(db, token, supply, others)
  const codes = await copyCodes(db, code, supply, others)
  await makeClient(db, projectId)
  const granted = { scope, count: protocolSupply, memberIds: others }
  const like = { projectId, tokens: [token] }
  const clientCodes = await grantRecords(db, like, { model: 'AuthorizationCode', ...granted })
  const clientTokens = await grantRecords(db, like, { model: 'RefreshToken', ...granted })
  await settle(db)
  return { apiKey, projectId, codes, toRefresh, toEnd, clientCodes, clientTokens }
}

/** The rows that changes by the service's own endpoints use up. */
interface OwnSupply {
  readonly apiKey: string
  readonly projectId: string
  readonly codes: readonly string[]
  readonly toRefresh: readonly Pair[]
  readonly toEnd: readonly Pair[]
}

/** Returns the changes by the service's own endpoints. Each request takes the next row. */
export function ownChanges({ apiKey, projectId, codes, toRefresh, toEnd }: OwnSupply) {
  const json = { 'Content-Type': 'application/json' }
  const asProject = { ...json, 'X-API-Key': apiKey }
  const change = (
    title: string,
    path: string,
    headers: Requests['headers'] & {},
    more: Pick<Requests, 'header' | 'each'>,
  ) => ({ title, path, requests: { method: 'POST', headers, ...more } as const })
  return {
    exchange: change('Exchange of a one-time code for a session', '/api/auth/token', asProject, {
      each: codes.map((code) => ({ body: JSON.stringify({ clientId: projectId, code, redirectUri }) })),
    }),
    refresh: change('Refresh', '/api/auth/token/refresh', json, {
      header: 'Authorization',
      each: toRefresh.map(({ token, refreshToken }) => ({
        value: `Bearer ${token}`,
        body: JSON.stringify({ refreshToken }),
      })),
    }),
    logout: change('Logout', '/api/auth/logout', asProject, {
      each: toEnd.map(({ token }) => ({ body: JSON.stringify({ token }) })),
    }),
  }
}

/** Returns requests of a client to the token endpoint of OpenID Connect. */
const atTokenEndpoint = (
  client: Parameters<typeof asClient>[0],
  forms: readonly Readonly<Record<string, string>>[],
): Pick<Requested, 'path' | 'requests'> => ({
  path: '/oidc/token',
  requests: {
    method: 'POST',
    headers: { Authorization: asClient(client), 'Content-Type': 'application/x-www-form-urlencoded' },
    each: forms.map((form) => ({ body: String(new URLSearchParams(form)) })),
  },
})

/** Returns all changes for the created rows. */
export function changesOf({
  clientCodes,
  clientTokens,
  ...own
}: Awaited<ReturnType<typeof makeSupply>>): readonly Change[] {
  const { exchange, refresh, logout } = ownChanges(own)
  return [
    {
      id: 'changes-refresh',
      name: 'Rolecall',
      ...refresh,
      statement: plainRefresh,
      byProtocol: {
        id: 'changes-oidc-refresh',
        title: 'Refresh with OpenID Connect, compared with Rolecall’s own API',
        name: 'OpenID Connect',
        ...atTokenEndpoint(
          own,
          clientTokens.map((token) => ({ grant_type: 'refresh_token', refresh_token: token })),
        ),
      },
    },
    { id: 'changes-logout', name: 'Rolecall', ...logout, statement: plainLogout(own.projectId) },
    {
      id: 'changes-exchange',
      name: 'Rolecall',
      ...exchange,
      statement: plainExchange(own.projectId, redirectUri),
      byProtocol: {
        id: 'changes-oidc-code',
        title: 'Exchange of an OpenID Connect code, compared with a one-time code',
        name: 'OpenID Connect',
        ...atTokenEndpoint(
          own,
          clientCodes.map((code) => ({
            ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri },
          })),
        ),
      },
    },
  ]
}
