import type { apiKeys } from '@rolecall/contract'
import { storedName } from '@rolecall/contract'
import type { By } from '#audit/event'
import { digestOf, keyPrefixOf, mintToken } from '#platform/crypto/tokens'
import { uuidv7 } from '#platform/crypto/uuid'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/check-request'
import type { Deps } from '../../deps.ts'
import { changeProject } from './change-project.ts'
import {
  countWorkingKeys,
  findKey,
  findNewestKeyId,
  insertApiKey,
  lockKeys,
  type Replacement,
  replaceNewestKey,
  restoreNewestKey,
  revokeKey,
  secondsUntil,
  standBack,
} from './key-store.ts'

type KeyDeps = Pick<Deps, 'db' | 'audit'>

// Each project has one newest key. A key that was replaced has a successor, and can stay valid for a grace period.

/** The maximum number of valid keys of a project. More are hard to keep track of, and each may leak. */
const maxWorkingKeys = 5
/**
 * The number of seconds before its end at which a replaced key is announced as ending. If the grace period is shorter,
 * the replacement itself announces the end.
 */
const announcedBeforeSec = 3_600
/** The maximum grace period in seconds: 30 days. For a longer time, add a second key. */
const maxGraceSec = 2_592_000

/**
 * Creates a key, which becomes the newest of the project. Returns the key itself. Only a digest of it is stored.
 *
 * @throws API_KEY_LIMIT_REACHED, VALIDATION_FAILED if the expiry is not in the future
 */
export async function issueApiKey(
  tx: Tx,
  projectId: string,
  { note, expiresAt }: apiKeys.NewKey = {},
  id = uuidv7(),
) {
  const apiKey = mintToken('apiKey')
  const prefix = keyPrefixOf(apiKey)
  const keptNote = note === undefined ? null : storedName(note)
  const stored = await insertApiKey(tx, {
    ...{ id, projectId, prefix, digest: digestOf(apiKey) },
    note: keptNote,
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt.toUpperCase()).toISOString(),
  })
  if (!stored) throw invalid([{ path: '/expiresAt', message: 'must be in the future', code: 'RANGE' }])
  if ((await countWorkingKeys(tx, projectId)) > maxWorkingKeys) throw new ApiError('API_KEY_LIMIT_REACHED')
  return { apiKey, prefix, note: keptNote, createdAt: stored.createdAt.toISOString() }
}

/**
 * Refuses a request that names a key other than the newest one. Changes to a project run one after another, so the
 * newest key stays the same until the transaction ends.
 *
 * @throws API_KEY_NOT_NEWEST
 */
async function checkNewest(tx: Tx, projectId: string, keyId: string | undefined): Promise<void> {
  if (keyId === undefined) return
  const newest = await findNewestKeyId(tx, projectId)
  if (newest?.id !== keyId.toLowerCase()) throw new ApiError('API_KEY_NOT_NEWEST')
}

/**
 * Replaces the newest key. The old key becomes invalid when the transaction commits or, if requested, at the end of a
 * grace period. It cannot be restored.
 *
 * @throws PROJECT_NOT_FOUND, API_KEY_NOT_NEWEST, API_KEY_LIMIT_REACHED, VALIDATION_FAILED
 */
export const regenerateApiKey = (
  deps: KeyDeps,
  by: By,
  projectId: string,
  { keyId, graceSec, graceUntil, ...wanted }: apiKeys.RegenerateApiKey = {},
) =>
  changeProject(deps, projectId, async (tx, project, record) => {
    await lockKeys(tx, projectId)
    await checkNewest(tx, projectId, keyId)
    const successorId = uuidv7()
    const grace = await graceOf(tx, { graceSec, graceUntil })
    const isAnnouncedNow = grace.graceSec > 0 && grace.graceSec <= announcedBeforeSec
    const replaced = await replaceNewestKey(tx, projectId, { successorId, ...grace, isAnnouncedNow })
    const { note: _, ...issued } = await issueApiKey(tx, projectId, wanted, successorId)
    const old = replaced.find(({ wasNewest, isWorking }) => wasNewest && isWorking)
    const endsAt = old?.endsAt?.toISOString()
    const goesOn = endsAt ? ` The old key, ${project.keyPrefix}, stays valid until ${endsAt}.` : ''
    await record({
      ...by,
      action: 'key.regenerate',
      summary: `The API key of ${project.name} was replaced.${goesOn}`,
      changes: { prefix: { before: project.keyPrefix, after: issued.prefix } },
    })
    return endsAt ? { ...issued, replaced: { prefix: project.keyPrefix, endsAt } } : issued
  })

/**
 * Returns the grace period of the old key in whole seconds. `until` is set if the request has a time instead of a
 * duration.
 *
 * @throws VALIDATION_FAILED
 */
async function graceOf(
  tx: Tx,
  {
    graceSec,
    graceUntil,
  }: { readonly graceSec: number | undefined; readonly graceUntil: string | undefined },
): Promise<Pick<Replacement, 'graceSec' | 'until'>> {
  if (graceUntil === undefined) return { graceSec: graceSec ?? 0, until: null }
  const refuse = (message: string) => invalid([{ path: '/graceUntil', message, code: 'RANGE' }])
  // Validation has filled in 0 for an omitted `graceSec`.
  if (graceSec) throw refuse('cannot be combined with graceSec')
  const until = new Date(graceUntil.toUpperCase()).toISOString()
  const leftSec = await secondsUntil(tx, until)
  if (leftSec < 1 || leftSec > maxGraceSec) throw refuse('must be in the next 30 days')
  return { graceSec: leftSec, until }
}

/**
 * Adds a key, which becomes the newest one. The existing keys stay valid.
 *
 * @throws PROJECT_NOT_FOUND, API_KEY_LIMIT_REACHED, VALIDATION_FAILED
 */
export const addApiKey = (deps: KeyDeps, by: By, projectId: string, wanted: apiKeys.NewKey) =>
  changeProject(deps, projectId, async (tx, project, record) => {
    await lockKeys(tx, projectId)
    await standBack(tx, projectId)
    const id = uuidv7()
    const { note, ...issued } = await issueApiKey(tx, projectId, wanted, id)
    await record({
      ...by,
      action: 'key.add',
      summary: `The API key ${issued.prefix} of ${project.name} was added.`,
      changes: {
        prefix: { before: null, after: issued.prefix },
        note: { before: null, after: note },
      },
    })
    return { id, ...issued }
  })

/**
 * Revokes the newest key, and the keys that it replaced. If all are revoked already, changes nothing and writes no
 * audit entry.
 *
 * @throws PROJECT_NOT_FOUND
 */
export const revokeApiKey = (deps: KeyDeps, by: By, projectId: string) =>
  changeProject(deps, projectId, async (tx, project, record) => {
    await lockKeys(tx, projectId)
    const newest = await findNewestKeyId(tx, projectId)
    if (!newest || (await revokeKey(tx, projectId, newest.id)) === 0) return
    await record({ ...by, action: 'key.revoke', summary: `The API key of ${project.name} was revoked.` })
  })

/**
 * Revokes one key, and the keys that it replaced. If all are revoked already, changes nothing and writes no audit
 * entry.
 *
 * @throws PROJECT_NOT_FOUND, API_KEY_NOT_FOUND
 */
export const revokeOneApiKey = (deps: KeyDeps, by: By, projectId: string, keyId: string) =>
  changeProject(deps, projectId, async (tx, project, record) => {
    await lockKeys(tx, projectId)
    const key = await findKey(tx, projectId, keyId)
    if (!key) throw new ApiError('API_KEY_NOT_FOUND')
    if ((await revokeKey(tx, projectId, keyId)) === 0) return
    const summary = `The API key ${key.prefix} of ${project.name} was revoked.`
    await record({
      ...by,
      action: 'key.revoke',
      summary,
      changes: { prefix: { before: key.prefix, after: null } },
    })
  })

/**
 * Restores the newest key after it was revoked. Older and expired keys cannot be restored.
 *
 * @throws PROJECT_NOT_FOUND, API_KEY_NOT_NEWEST, NO_REVOKED_KEY
 */
export const restoreApiKey = (
  deps: KeyDeps,
  by: By,
  projectId: string,
  { keyId }: apiKeys.RestoreApiKey = {},
) =>
  changeProject(deps, projectId, async (tx, project, record) => {
    await checkNewest(tx, projectId, keyId)
    if ((await restoreNewestKey(tx, projectId)) === 0) throw new ApiError('NO_REVOKED_KEY')
    await record({ ...by, action: 'key.restore', summary: `The API key of ${project.name} was restored.` })
  })
