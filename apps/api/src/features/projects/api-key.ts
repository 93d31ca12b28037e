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

/** The maximum number of working keys: more are hard to keep track of, and each may leak. */
const maxWorkingKeys = 5
/** A replaced key that ends sooner than this is announced at the replacement; others an hour before their end. */
const announcedBeforeSec = 3_600
/** 30 days: a replaced key that works for longer is a second key. */
const maxGraceSec = 2_592_000

/** Creates and stores a new key of a project, its newest. The key itself is returned and not stored. */
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
 * Replaces the newest key. The old one stops working with this commit, or works until the end of the grace period; it
 * never comes back.
 * @throws PROJECT_NOT_FOUND, API_KEY_LIMIT_REACHED, VALIDATION_FAILED
 */
export const regenerateApiKey = (
  deps: KeyDeps,
  by: By,
  projectId: string,
  { graceSec, graceUntil, ...wanted }: apiKeys.RegenerateApiKey = {},
) =>
  changeProject(deps, projectId, async (tx, project, record) => {
    await lockKeys(tx, projectId)
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
 * Returns how long the old key stays valid, in whole seconds, and until when if that was given as a time.
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
  // The contract fills in 0 for a graceSec that is left out.
  if (graceSec) throw refuse('cannot be combined with graceSec')
  const until = new Date(graceUntil.toUpperCase()).toISOString()
  const leftSec = await secondsUntil(tx, until)
  if (leftSec < 1 || leftSec > maxGraceSec) throw refuse('must be in the next 30 days')
  return { graceSec: leftSec, until }
}

/**
 * Adds a key beside the existing ones, and makes it the newest.
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
 * Revokes the newest key and its predecessors. If it is revoked already, nothing changes and no second entry is
 * written.
 */
export const revokeApiKey = (deps: KeyDeps, by: By, projectId: string) =>
  changeProject(deps, projectId, async (tx, project, record) => {
    await lockKeys(tx, projectId)
    const newest = await findNewestKeyId(tx, projectId)
    if (!newest || (await revokeKey(tx, projectId, newest.id)) === 0) return
    await record({ ...by, action: 'key.revoke', summary: `The API key of ${project.name} was revoked.` })
  })

/**
 * Revokes one key and its predecessors.
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

/** Restores the newest key after it was revoked; older keys cannot be restored. */
export const restoreApiKey = (deps: KeyDeps, by: By, projectId: string) =>
  changeProject(deps, projectId, async (tx, project, record) => {
    if ((await restoreNewestKey(tx, projectId)) === 0) throw new ApiError('NO_REVOKED_KEY')
    await record({ ...by, action: 'key.restore', summary: `The API key of ${project.name} was restored.` })
  })
