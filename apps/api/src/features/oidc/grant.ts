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

/** The grants of the records that requests found, by the contexts of the requests. A grant never changes. */
const grants = new WeakMap<object, StoredGrant & { readonly sessionId: string }>()

/** Notes the grant of a record that the current request found: the library asks for it next. */
export function noteGrant(sessionId: string | null, grant: StoredGrant | undefined): void {
  if (Provider.ctx && sessionId !== null && grant) grants.set(Provider.ctx, { ...grant, sessionId })
}

/**
 * Finds the grant of the record that the current request found. It is a session of the project, and exists as long as the
 * session is live.
 */
export async function findGrant(
  deps: Pick<Deps, 'answers'>,
  sessionId: string,
): Promise<AdapterPayload | undefined> {
  const noted = Provider.ctx && grants.get(Provider.ctx)
  if (noted?.sessionId !== sessionId) return undefined
  const live = await sessionOfToken(deps, sessionId)
  if (!live || live.session.projectId === null) return undefined
  const { memberId: accountId, projectId } = live.session
  const clientId = noted.clientId ?? projectId
  return { kind: 'Grant', jti: sessionId, accountId, clientId, ...{ openid: { scope: noted.scope } } }
}

interface Opened {
  readonly sessionId: string
  /** The lifetime until the session starts, in seconds: that of the code it comes with. */
  readonly ttlSec: number
  readonly client: Client | undefined
}

/** Creates the session with the code that will start it, so that every act that ends sessions ends the code, too. */
export async function openGrant(
  tx: Tx,
  { sessions, config }: Pick<Deps, 'config'> & { sessions: ClientSessions },
  { accountId = '', scope = '', resource }: AdapterPayload,
  { sessionId, ttlSec, client }: Opened,
): Promise<void> {
  const known = Provider.ctx?.oidc.client
  if (!known) throw new errors.InvalidClient('client is invalid')
  const { projectId, serverId, clientId } = await siteOf({ db: tx, config }, known, resource)
  // Waits for a change of the list, which ends the sessions that it finds.
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
