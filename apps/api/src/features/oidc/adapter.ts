import { formats } from '@rolecall/contract'
import Provider, { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import { digestOf, isWellFormed, type TokenKind } from '#platform/crypto/tokens'
import type { Tx } from '#platform/db/database'
import { refreshGraceSec } from '../../checks/refresh-grace.ts'
import type { Deps } from '../../deps.ts'
import type { BrowserLogin } from './browser-login.ts'
import { createFindDocument, type DocumentNeeds, isDocumentId } from './client-documents.ts'
import { metadataOf, metadataOfDocument } from './client-metadata.ts'
import type { ClientSessions } from './client-sessions.ts'
import { clientsReader } from './clients-store.ts'
import { checkPollInterval } from './device-code.ts'
import { cacheGrant, findGrant, openGrant } from './grant.ts'
import { OidcRequest } from './oidc-request.ts'
import {
  consumeRecord,
  deleteRecord,
  findRecordByUid,
  findRecordByUserCode,
  type GrantedRecord,
  type RecordRow,
  recordsReader,
  redeemDeviceCode,
  trimRecords,
  upsertRecord,
} from './records-store.ts'
import type { Redemptions } from './redemptions.ts'
import { digestOfRecord, fromStored, type Model, toStored } from './stored-payload.ts'
import { sessionOfToken } from './token-session.ts'
import { orProtocolError } from './unavailable.ts'

/**
 * The maximum number of records without a session. They are sign-ins that have not completed. Strangers can create
 * them, so their number needs a limit.
 */
const maxRecords = 50_000
/** The number of new records without a session, in this process, after which the oldest ones are deleted. */
const trimEvery = 1_000

export type AdapterDeps = Pick<Deps, 'db' | 'answers' | 'config'> & {
  readonly sessions: ClientSessions
  readonly login: Pick<BrowserLogin, 'lock'>
  readonly redemptions: Redemptions
  readonly documents: DocumentNeeds
}

/**
 * The format of each kind of credential, by the library's name of the model. A value in another format is not looked
 * up.
 */
const shapes: Partial<Record<string, TokenKind>> = {
  AccessToken: 'accessToken',
  RefreshToken: 'clientRefresh',
  AuthorizationCode: 'clientCode',
  DeviceCode: 'deviceCode',
}

/** The routes at which the library passes the digest of a device code or a pushed request, read from another record. */
const byDigest: Partial<Record<string, readonly string[]>> = {
  DeviceCode: ['code_verification', 'device_resume'],
  PushedAuthorizationRequest: ['resume'],
}

/**
 * The routes that use a client's redirect URIs. `undefined` stands for the pages of a sign-in. At other routes, a
 * client's metadata document is not fetched, so tokens work while its site is down.
 */
const usesRedirects: ReadonlySet<string | undefined> = new Set([
  ...[undefined, 'authorization', 'resume'],
  'pushed_authorization_request',
])

/**
 * Creates the storage of the protocol library (`oidc-provider`). The library's clients are projects or metadata
 * documents, and its grants are sessions: it can only read both. Everything else that it stores is a record in
 * `oidc_records`.
 */
export function createAdapter(deps: AdapterDeps): (model: string) => Adapter {
  let storedSinceTrim = 0
  const stored = async () => {
    storedSinceTrim += 1
    if (storedSinceTrim < trimEvery) return
    storedSinceTrim = 0
    await trimRecords(deps.db, maxRecords)
  }
  const readClient = clientsReader(deps.db, deps.config.chatGuildId)
  const findDocument = createFindDocument(deps.db, deps.documents)
  const clientOf = async (id: string): Promise<AdapterPayload | undefined> => {
    const failure = requestNow()?.failure
    if (failure !== undefined) throw failure
    if (isDocumentId(id)) {
      const uris = usesRedirects.has(routeNow()) ? (await findDocument(id)).redirectUris : [id]
      return metadataOfDocument(id, uris)
    }
    const row = formats.uuid(id) ? await readClient(id) : undefined
    return row && metadataOf(row)
  }
  const findRecord = recordsReader(deps.db)
  return (model) => {
    if (model === 'Client') return readOnly(clientOf)
    if (model === 'Grant') return readOnly((id) => findGrant(deps, id))
    return guarded(records({ ...deps, findRecord, stored }, model as Model))
  }
}

interface RecordDeps extends AdapterDeps {
  readonly findRecord: (digest: string) => Promise<GrantedRecord | undefined>
  /** Counts a new record without a session, and trims these records from time to time. */
  readonly stored: () => Promise<void>
}

/** Creates the storage of one kind of record. Its methods are those of the library's interface `Adapter`. */
function records(deps: RecordDeps, model: Model): Adapter {
  const { db, sessions, config, redemptions, findRecord, stored } = deps
  const digestFor = (id: string) =>
    byDigest[model]?.includes(routeNow() ?? '') ? id : digestOfRecord(model, id)

  /** Reads a record. The read of an access token also caches it, because a client sends it with several requests. */
  const findRow = async (digest: string): Promise<GrantedRecord | undefined> => {
    if (model !== 'AccessToken') return findRecord(digest)
    const row = await deps.answers.readAccessToken(digest)
    return row && { ...row, digest, consumedAgoSec: null }
  }

  /**
   * Returns the payload of a record, or undefined if the record is not valid: it has expired, or its session is not
   * live. `name` is the value that identifies the record, which is stored only as a digest.
   */
  const read = async (name: string, row: RecordRow | undefined): Promise<AdapterPayload | undefined> => {
    if (!row || (row.isExpired && model !== 'DeviceCode')) return undefined
    // Shortly after its use, the value may come from a concurrent request, or from a client that did not receive the
    // response. A refresh token is then refused, but its session does not end.
    const isInGrace = row.consumedAgoSec !== null && row.consumedAgoSec < refreshGraceSec
    if (model === 'RefreshToken' && isInGrace) return undefined
    if (row.sessionId !== null && !(await sessionOfToken(deps, row.sessionId))) return undefined
    const payload = fromStored(name, row.payload)
    // A device that did not receive the response can redeem the code again, even if the code has expired since.
    if (model === 'DeviceCode' && isInGrace) return { ...payload, exp: Number.MAX_SAFE_INTEGER }
    return {
      ...payload,
      ...(row.consumedAgoSec !== null && { consumed: true }),
      // The database's clock decides. The library uses this machine's clock, so an `exp` in the past makes it agree.
      ...(row.isExpired && { exp: 1 }),
    }
  }

  return {
    async upsert(id, payload, expiresIn = 0) {
      const request = requestNow()
      const sessionId = sessionOf(model, payload)
      const digest = digestFor(id)
      const text = toStored(id, linked(payload))
      const redeemed =
        (model === 'AccessToken' || model === 'RefreshToken') &&
        redemptions.add(model, { digest, payload: text, ttlSec: expiresIn })
      if (redeemed) return redeemed
      const record = {
        digest,
        model,
        sessionId,
        uidDigest: payload.uid === undefined || model !== 'Session' ? null : digestOf(payload.uid),
        userCodeDigest: payload.userCode === undefined ? null : digestOf(payload.userCode),
        payload: text,
        address: request?.bucket ?? null,
        ttlSec: expiresIn,
      }
      if (sessionId !== null && (model === 'AuthorizationCode' || model === 'DeviceCode')) {
        await db.transaction(async (tx) => {
          await openGrant(tx, deps, payload, { sessionId, ttlSec: expiresIn, client: request?.client })
          // The second of two concurrent requests throws here. The transaction rolls back, and with it the session.
          if (!(await upsertRecord(tx, record))) throw new errors.InvalidRequest('the code was already used')
        })
      } else {
        // Fails if a device redeems its code again, and the refresh token from the first redemption was used meanwhile.
        if (!(await upsertRecord(db, record))) throw new errors.InvalidGrant('refresh token already used')
        if (sessionId === null) await stored()
      }
    },
    async find(id) {
      const kind = shapes[model]
      const isName = byDigest[model]?.includes(routeNow() ?? '')
      if (kind && !isName && !isWellFormed(kind, id)) return undefined
      const row = await findRow(digestFor(id))
      const payload = await read(id, row)
      cacheGrant(row?.sessionId ?? null, row?.grant)
      if (row && payload && model === 'DeviceCode' && routeNow() === 'token')
        await checkPollInterval(db, row, payload)
      return payload
    },
    findByUid: async (uid) => read('', await findRecordByUid(db, digestOf(uid))),
    async findByUserCode(userCode) {
      const row = await findRecordByUserCode(db, digestOf(userCode))
      const payload = row && (await read(row.digest, row))
      return payload && { ...payload, userCode }
    },
    async consume(id) {
      const digest = digestFor(id)
      const refuse = () => refuseUsed(digest)
      if (model === 'AuthorizationCode' || model === 'RefreshToken') redemptions.begin({ digest, refuse })
      else if (!(await db.transaction((tx) => use(tx, digest)))) await refuse()
    },
    async destroy(id) {
      await deleteRecord(db, digestFor(id))
    },
    // The library calls this for each kind of token of a grant. One call suffices, because the end of the session ends
    // all of its tokens.
    async revokeByGrantId(grantId) {
      if (model !== 'AccessToken') return
      const { oidc } = Provider.ctx ?? {}
      if (oidc?.route === 'revocation') {
        await sessions.end(db, grantId, 'token_revoked')
      } else {
        const isRefresh = oidc?.entities.RefreshToken !== undefined
        await sessions.endReused(
          grantId,
          isRefresh ? 'refresh_token_reused' : 'code_reused',
          requestNow()?.client,
        )
      }
    },
  }

  /** Throws the error for a record that was used before. If the record has a session, ends the session. */
  async function refuseUsed(digest: string): Promise<never> {
    if (model === 'PushedAuthorizationRequest')
      throw new errors.InvalidRequestUri('request_uri is invalid, expired, or was already used')
    // The service cannot determine which of two parties is the owner of a code (RFC 6749 §4.1.2). `redemptions` ends
    // the session of a reused refresh token.
    const row = model === 'RefreshToken' ? undefined : await findRecord(digest)
    if (row?.sessionId) await sessions.endReused(row.sessionId, 'code_reused', requestNow()?.client)
    throw new errors.InvalidGrant()
  }

  /** Consumes a record and extends its session. Returns false if it was used before, or if its session has ended. */
  async function use(tx: Tx, digest: string): Promise<boolean> {
    const used = await (model === 'DeviceCode'
      ? redeemDeviceCode(tx, digest, refreshGraceSec)
      : consumeRecord(tx, digest))
    if (!used) return false
    return used.sessionId === null || sessions.extend(tx, used.sessionId, config.sessionTtlSec)
  }
}

/** Returns the session ID of a record; null if the record has none. A device code gets a session with the sign-in. */
function sessionOf(model: Model, { grantId, accountId }: AdapterPayload): string | null {
  const isOfSession = ['AuthorizationCode', 'AccessToken', 'RefreshToken', 'DeviceCode'].includes(model)
  return isOfSession && accountId !== undefined ? (grantId ?? null) : null
}

/** Replaces the URI of a pushed request in a record with its digest, so that the database contains no valid URI. */
function linked(payload: AdapterPayload): AdapterPayload {
  const { parJti } = payload
  if (parJti === undefined || routeNow() === 'resume') return payload
  return { ...payload, parJti: digestOfRecord('PushedAuthorizationRequest', parJti) }
}

/** Returns the library's name of the current route. */
const routeNow = () => Provider.ctx?.oidc?.route
const requestNow = () => {
  const request = Provider.ctx?.req
  return request instanceof OidcRequest ? request : undefined
}

const unused = () => Promise.reject(new Error('The library stores no models of this kind.'))

/** Creates an adapter for models that the library only reads. */
const readOnly = (find: (id: string) => Promise<AdapterPayload | undefined>): Adapter =>
  guarded({
    find,
    upsert: unused,
    findByUid: unused,
    findByUserCode: unused,
    consume: unused,
    destroy: unused,
    revokeByGrantId: unused,
  })

/** Converts the errors of an adapter, such as an outage of the database, to errors of the protocol. */
const guarded = (adapter: Adapter): Adapter => ({
  upsert: (...args) => orProtocolError(adapter.upsert(...args)),
  find: (id) => orProtocolError(adapter.find(id)),
  findByUid: (uid) => orProtocolError(adapter.findByUid(uid)),
  findByUserCode: (code) => orProtocolError(adapter.findByUserCode(code)),
  consume: (id) => orProtocolError(adapter.consume(id)),
  destroy: (id) => orProtocolError(adapter.destroy(id)),
  revokeByGrantId: (id) => orProtocolError(adapter.revokeByGrantId(id)),
})
