import Provider, { type AdapterPayload, errors } from 'oidc-provider'
import { digestOf, digestOfTokenless } from '#platform/crypto/tokens'
import type { Tx } from '#platform/db/database'
import { readIp, readUserAgent } from '#platform/http/client-info'
import type { Client } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import type { BrowserLogin } from './browser-login.ts'
import { detailsOf } from './client-metadata.ts'
import type { ClientSessions } from './client-sessions.ts'
import { lockClientHosts } from './clients-store.ts'
import { lockConsent } from './consents-store.ts'
import { insertGrant, type StoredGrant } from './records-store.ts'
import { findRequestedConsent, isCovered, needsConsent } from './requested-consent.ts'
import { siteOf } from './sites.ts'
import { sessionOfToken } from './token-session.ts'
import { usedSso } from './used-sso.ts'

/** The grants of the current requests, by the library's context of the request. A grant never changes. */
const grants = new WeakMap<object, StoredGrant & { readonly sessionId: string }>()

/**
 * Remembers the grant of a record for the rest of the current request. The library reads a record and then its grant,
 * but one query has read both.
 */
export function cacheGrant(sessionId: string | null, grant: StoredGrant | undefined): void {
  if (Provider.ctx && sessionId !== null && grant) grants.set(Provider.ctx, { ...grant, sessionId })
}

/**
 * Returns the grant that `cacheGrant` remembered for the current request, if its session is live. The session's ID is
 * also the grant's ID. Without a live session there is no grant, so the library rejects every token of an ended
 * session.
 */
export async function findGrant(
  deps: Pick<Deps, 'answers'>,
  sessionId: string,
): Promise<AdapterPayload | undefined> {
  const cached = Provider.ctx && grants.get(Provider.ctx)
  if (cached?.sessionId !== sessionId) return undefined
  const live = await sessionOfToken(deps, sessionId)
  if (!live || live.session.projectId === null) return undefined
  const { memberId: accountId, projectId } = live.session
  const clientId = cached.clientId ?? projectId
  return { kind: 'Grant', jti: sessionId, accountId, clientId, ...{ openid: { scope: cached.scope } } }
}

type GrantDeps = Pick<Deps, 'config'> & {
  readonly sessions: ClientSessions
  readonly login: Pick<BrowserLogin, 'lock'>
}

/** The session to create. */
interface OpenedGrant {
  readonly sessionId: string
  /** Seconds until the session expires if the code is not redeemed: the lifetime of the code. */
  readonly ttlSec: number
  /** The client of the request, for the address and browser of the session. */
  readonly client: Client | undefined
}

/**
 * Creates the session of a code, and its grant, in the transaction that stores the code. Because the session exists
 * before the code is redeemed, every operation that ends sessions also ends the code.
 *
 * @throws AccessDenied if the project no longer accepts the client or the server, the member is not in the server, or
 * the member has withdrawn the consent; LoginRequired if the member was signed out meanwhile
 */
export async function openGrant(
  tx: Tx,
  { sessions, login, config }: GrantDeps,
  { accountId = '', scope = '', resource, redirectUri }: AdapterPayload,
  { sessionId, ttlSec, client }: OpenedGrant,
): Promise<void> {
  const known = Provider.ctx?.oidc.client
  if (!known) throw new errors.InvalidClient('client is invalid')
  const { projectId, serverId, clientId } = await siteOf({ db: tx, config }, known, resource)
  // The single sign-on may have ended during the request to Discord, or another tab may have replaced it. It is locked
  // first, in the same order as by
  // sign-outs.
  const ssoId = usedSso()
  if (ssoId === undefined || !(await login.lock(tx, { id: ssoId, projectId })))
    throw new errors.LoginRequired('The member was signed out during this sign-in.')
  // A change to the list of hosts ends only sessions that exist. With the lock, either this transaction sees the new
  // list, or the change sees the new session. The name of a client with a metadata document is the document's host.
  if (clientId !== null && !(await lockClientHosts(tx, projectId)).includes(detailsOf(known).name))
    throw new errors.AccessDenied('The project of this resource no longer accepts this program.')
  const opened = await sessions.open(tx, {
    id: sessionId,
    projectId,
    memberId: accountId,
    serverId,
    tokenDigest: digestOfTokenless(sessionId),
    refreshDigest: digestOf(`refresh ${sessionId}`),
    ip: readIp(client?.ip),
    userAgent: readUserAgent(client?.userAgent),
    ttlSec,
    maxAgeSec: config.sessionMaxAgeSec,
  })
  if (opened === 0) throw new errors.AccessDenied('This site no longer has access to the server.')
  // The consent was read before Discord was asked for the membership. With the lock, either this transaction sees that
  // the consent was withdrawn meanwhile, or the withdrawal sees the new session. The member is locked first, in the same
  // order as by an erasure.
  const requested = await findRequestedConsent({ db: tx, config }, known, {
    scopes: scope.split(' '),
    resource,
    redirectUri,
  })
  const consent = { projectId, memberId: accountId, clientId }
  if (needsConsent(requested) && !isCovered(await lockConsent(tx, consent), requested))
    throw new errors.AccessDenied('The consent was withdrawn during this sign-in.')
  await insertGrant(tx, { sessionId, projectId, clientId, scope })
}
