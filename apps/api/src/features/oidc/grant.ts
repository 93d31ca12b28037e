import Provider, { type AdapterPayload, errors } from 'oidc-provider'
import { digestOf, digestOfTokenless } from '#platform/crypto/tokens'
import type { Tx } from '#platform/db/database'
import { readIp, readUserAgent } from '#platform/http/client-info'
import type { Client } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import { detailsOf } from './client-metadata.ts'
import type { ClientSessions } from './client-sessions.ts'
import { lockClientHosts } from './clients-store.ts'
import { insertGrant, type StoredGrant } from './records-store.ts'
import { siteOf } from './sites.ts'
import { sessionOfToken } from './token-session.ts'

/**
 * The grant of the record that each current request has read, keyed by its `Provider.ctx`. A cached grant stays correct,
 * because grants do not change.
 */
const grants = new WeakMap<object, StoredGrant & { readonly sessionId: string }>()

/**
 * Stores the grant of a record for the current request. The record was read together with its grant, which the library
 * looks up next.
 */
export function cacheGrant(sessionId: string | null, grant: StoredGrant | undefined): void {
  if (Provider.ctx && sessionId !== null && grant) grants.set(Provider.ctx, { ...grant, sessionId })
}

/**
 * Returns the grant that `cacheGrant` stored for the current request. A grant has the ID of its session, and exists only
 * while that session is live. So the library rejects every token of an ended session.
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

interface OpenedGrant {
  readonly sessionId: string
  /** Seconds until the session expires if the code is not redeemed. Equals the lifetime of the code. */
  readonly ttlSec: number
  readonly client: Client | undefined
}

/**
 * Creates the session of a code, and its grant, in the transaction that stores the code. So every operation that ends
 * sessions also ends the code. Throws if the project no longer accepts the client, or may not sign the member in.
 */
export async function openGrant(
  tx: Tx,
  { sessions, config }: Pick<Deps, 'config'> & { sessions: ClientSessions },
  { accountId = '', scope = '', resource }: AdapterPayload,
  { sessionId, ttlSec, client }: OpenedGrant,
): Promise<void> {
  const known = Provider.ctx?.oidc.client
  if (!known) throw new errors.InvalidClient('client is invalid')
  const { projectId, serverId, clientId } = await siteOf({ db: tx, config }, known, resource)
  // A change of the host list ends only sessions that exist. The lock lets this transaction see the new list, or the change
  // see this session.
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
  await insertGrant(tx, { sessionId, projectId, clientId, scope })
}
