import { formats } from '@rolecall/contract'
import Provider, { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import { digestOf, isWellFormed, type TokenKind } from '#platform/crypto/tokens'
import type { Tx } from '#platform/db/database'
import { refreshGraceSec } from '../../checks/refresh-grace.ts'
import type { Deps } from '../../deps.ts'
import { metadataOf } from './client-metadata.ts'
import type { ClientSessions } from './client-sessions.ts'
import { findClient } from './clients-store.ts'
import { checkPollInterval } from './device-code.ts'
import { findGrant, openGrant } from './grant.ts'
import { OidcRequest } from './oidc-request.ts'
import {
  consumeRecord,
  deleteRecord,
  findRecord,
  findRecordByUid,
  findRecordByUserCode,
  type RecordRow,
  redeemDeviceCode,
  trimRecords,
  upsertRecord,
} from './records-store.ts'
import { fromStored, type Model, toStored } from './stored-payload.ts'
import { sessionOfToken } from './token-session.ts'
import { orProtocolError } from './unavailable.ts'

/** What strangers may leave: requests that wait for a login. */
const maxRecords = 50_000
/** Trim once per so many of them. */
const trimEvery = 1_000

export type AdapterDeps = Pick<Deps, 'db' | 'answers' | 'config' | 'audit'> & {
  readonly sessions: ClientSessions
}

/** What each kind of credential looks like: anything else is looked up nowhere. */
const shapes: Partial<Record<string, TokenKind>> = {
  AccessToken: 'accessToken',
  RefreshToken: 'clientRefresh',
  AuthorizationCode: 'clientCode',
  DeviceCode: 'deviceCode',
}

/** Where a device code, or a pushed request, is known by the name that another record has of it: its digest. */
const byDigest: Partial<Record<string, readonly string[]>> = {
  DeviceCode: ['code_verification', 'device_resume'],
  PushedAuthorizationRequest: ['resume'],
}

/** The library's storage: clients are projects, grants are sessions, and all else is records. */
export function createAdapter(deps: AdapterDeps): (model: string) => Adapter {
  let storedSinceTrim = 0
  const stored = async () => {
    storedSinceTrim += 1
    if (storedSinceTrim < trimEvery) return
    storedSinceTrim = 0
    await trimRecords(deps.db, maxRecords)
  }
  return (model) => {
    if (model === 'Client') return readOnly((id) => clientOf(deps, id))
    if (model === 'Grant') return readOnly((id) => findGrant(deps, id))
    return guarded(records(deps, model as Model, stored))
  }
}

async function clientOf({ db, config }: AdapterDeps, id: string): Promise<AdapterPayload | undefined> {
  const row = formats.uuid(id) ? await findClient(db, id, config.chatGuildId) : undefined
  return row && metadataOf(row)
}

function records(deps: AdapterDeps, model: Model, stored: () => Promise<void>): Adapter {
  const { db, sessions, config } = deps
  const digestFor = (id: string) =>
    byDigest[model]?.includes(routeNow() ?? '') ? id : digestOf(`${model} ${id}`)

  /** An access token is cached when it is read: requests with it follow. */
  const findRow = async (digest: string): Promise<RecordRow | undefined> => {
    if (model !== 'AccessToken') return findRecord(db, digest)
    const row = await deps.answers.readAccessToken(digest)
    return row && { ...row, digest, consumedAgoSec: null }
  }

  const read = async (name: string, row: RecordRow | undefined): Promise<AdapterPayload | undefined> => {
    if (!row || (row.isExpired && model !== 'DeviceCode')) return undefined
    // The loser of a race, and a client that did not hear the answer, come back at once.
    const isInGrace = row.consumedAgoSec !== null && row.consumedAgoSec < refreshGraceSec
    if (model === 'RefreshToken' && isInGrace) return undefined
    if (row.sessionId !== null && !(await sessionOfToken(deps, row.sessionId))) return undefined
    const payload = fromStored(name, row.payload)
    // A device that lost the response gets it again, even if the code has expired since.
    if (model === 'DeviceCode' && isInGrace) return { ...payload, exp: Number.MAX_SAFE_INTEGER }
    return {
      ...payload,
      ...(row.consumedAgoSec !== null && { consumed: true }),
      // The clock of the database decides; the library compares this with its machine's.
      ...(row.isExpired && { exp: 1 }),
    }
  }

  return {
    async upsert(id, payload, expiresIn = 0) {
      const request = requestNow()
      const sessionId = sessionOf(model, payload)
      const digest = digestFor(id)
      const record = {
        digest,
        model,
        sessionId,
        uidDigest: payload.uid === undefined || model !== 'Session' ? null : digestOf(payload.uid),
        userCodeDigest: payload.userCode === undefined ? null : digestOf(payload.userCode),
        payload: toStored(id, linked(payload)),
        address: request?.bucket ?? null,
        ttlSec: expiresIn,
      }
      if (sessionId !== null && (model === 'AuthorizationCode' || model === 'DeviceCode')) {
        await db.transaction(async (tx) => {
          await openGrant(tx, deps, payload, { sessionId, ttlSec: expiresIn, client: request?.client })
          // Whoever came second has no session either: all of this is undone.
          if (!(await upsertRecord(tx, record))) throw new errors.InvalidRequest('the code was used already')
        })
      } else {
        // The tokens of a device code were refreshed before the code was redeemed again.
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
      const isUsed = await db.transaction((tx) => use(tx, digest))
      if (isUsed) return
      if (model === 'PushedAuthorizationRequest')
        throw new errors.InvalidRequestUri('request_uri is invalid, expired, or was already used')
      // Of two that redeem one code at once nobody can tell who is its owner (RFC 6749 §4.1.2).
      const row = model === 'RefreshToken' ? undefined : await findRecord(db, digest)
      if (row?.sessionId) await sessions.endReused(row.sessionId, 'code_reused', requestNow()?.client)
      throw new errors.InvalidGrant()
    },
    async destroy(id) {
      await deleteRecord(db, digestFor(id))
    },
    // Asked for each kind of token of a grant; they are all as good as its session.
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

  /** Uses a record up and lets its session go on; false when it was used before, or its session is over. */
  async function use(tx: Tx, digest: string): Promise<boolean> {
    const used = await (model === 'DeviceCode'
      ? redeemDeviceCode(tx, digest, refreshGraceSec)
      : consumeRecord(tx, digest))
    if (!used) return false
    return used.sessionId === null || sessions.extend(tx, used.sessionId, config.sessionTtlSec)
  }
}

/** The session that a record is of: for a code and a device, once somebody has logged in. */
function sessionOf(model: Model, { grantId, accountId }: AdapterPayload): string | null {
  const isOfSession = ['AuthorizationCode', 'AccessToken', 'RefreshToken', 'DeviceCode'].includes(model)
  return isOfSession && accountId !== undefined ? (grantId ?? null) : null
}

/** A record names a pushed request by its digest. */
function linked(payload: AdapterPayload): AdapterPayload {
  const { parJti } = payload
  if (parJti === undefined || routeNow() === 'resume') return payload
  return { ...payload, parJti: digestOf(`PushedAuthorizationRequest ${parJti}`) }
}

const routeNow = () => Provider.ctx?.oidc?.route
const requestNow = () => {
  const request = Provider.ctx?.req
  return request instanceof OidcRequest ? request : undefined
}

const unused = () => Promise.reject(new Error('The library keeps nothing of this kind.'))

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

/** What fails here is told as the protocol tells it. */
const guarded = (adapter: Adapter): Adapter => ({
  upsert: (...args) => orProtocolError(adapter.upsert(...args)),
  find: (id) => orProtocolError(adapter.find(id)),
  findByUid: (uid) => orProtocolError(adapter.findByUid(uid)),
  findByUserCode: (code) => orProtocolError(adapter.findByUserCode(code)),
  consume: (id) => orProtocolError(adapter.consume(id)),
  destroy: (id) => orProtocolError(adapter.destroy(id)),
  revokeByGrantId: (id) => orProtocolError(adapter.revokeByGrantId(id)),
})
