import type { Database } from '#platform/db/database'
import { gather } from '#platform/db/gather'
import { type Changes, readChanges } from './change-log.ts'
import type { ValidateItem, ValidateRow } from './live-store.ts'

/** About 1.5 kB each. */
const mostKept = 50_000
/** Whoever has not looked for so long starts anew: older changes may be gone from the log. */
const longestPauseMs = 5 * 60_000

interface Kept {
  readonly keyDigest: string
  readonly row: ValidateRow
}

/** Rows on their way from the database, and what changed since they were asked for. */
interface Loading {
  readonly drops: string[]
  /** True when nothing kept counts any more. */
  isVoid: boolean
}

/**
 * Finished answers in memory, and yet as strict as reading each from the database.
 *
 * What can happen when: one look at a time. It reads the change log, in a snapshot taken after all of its items
 * were asked for, and drops what changed; what is still there is as good as read now. A change that commits
 * after the log was read is in the log that the next look reads before anything is used, because each look asks
 * for all that was not to be seen in the snapshot of the one before it. So nothing kept is ever used past a
 * change that a client could know of.
 *
 * What is not there is loaded after that, while others look: whoever presents what nobody knows delays nobody
 * else. What looks find meanwhile may be newer than the rows on their way, and is applied to them as well.
 */
export function createKeptSessions(
  db: Database,
  read: (items: ValidateItem[]) => Promise<ValidateRow[]>,
  /** Says whether a kept row will do. */
  isUsable: (row: ValidateRow) => boolean,
) {
  const kept = new Map<string, Kept>()
  const tokensOfMember = new Map<string, Set<string>>()
  const tokensOfKey = new Map<string, Set<string>>()
  const underWay = new Set<Loading>()
  let last: Changes | undefined

  const clear = () => {
    for (const loading of underWay) loading.isVoid = true
    kept.clear()
    tokensOfMember.clear()
    tokensOfKey.clear()
  }
  const drop = (tokenDigest: string) => {
    const entry = kept.get(tokenDigest)
    if (!entry) return
    kept.delete(tokenDigest)
    remove(tokensOfKey, entry.keyDigest, tokenDigest)
    if (entry.row.session) remove(tokensOfMember, entry.row.session.memberId, tokenDigest)
  }
  const dropAll = (tokens: Set<string> | undefined) => {
    for (const token of [...(tokens ?? [])]) drop(token)
  }
  const apply = (what: string) => {
    const id = what.slice(1)
    if (what[0] === 't') drop(id)
    else if (what[0] === 'm') dropAll(tokensOfMember.get(id))
    else if (what[0] === 'k') dropAll(tokensOfKey.get(id))
    else clear()
  }
  const keep = ({ keyDigest, tokenDigest }: ValidateItem, row: ValidateRow) => {
    // Only a good answer is kept: what is refused now may be good in a moment.
    if (!row.projectId || !row.isActive || !row.session) return
    drop(tokenDigest)
    if (kept.size >= mostKept) drop(kept.keys().next().value as string)
    kept.set(tokenDigest, { keyDigest, row })
    add(tokensOfKey, keyDigest, tokenDigest)
    add(tokensOfMember, row.session.memberId, tokenDigest)
  }

  /** Looks at the log, and keeps nothing that it does not vouch for. */
  const look = async (): Promise<Changes> => {
    try {
      const changes = await readChanges(db, last?.snapshot)
      const isContinued =
        last && last.serverStart === changes.serverStart && changes.nowMs - last.nowMs < longestPauseMs
      if (isContinued) {
        changes.drops.forEach(apply)
        for (const { drops } of underWay) for (const drop of changes.drops) drops.push(drop)
      } else clear()
      last = changes
      return changes
    } catch (error) {
      clear()
      last = undefined
      throw error
    }
  }

  const lookUp = async (items: ValidateItem[]): Promise<(ValidateRow | undefined)[]> => {
    const changes = await look()
    return items.map((item) => {
      const entry = kept.get(item.tokenDigest)
      if (entry?.keyDigest !== item.keyDigest) return undefined
      return isCurrent(entry.row, changes) && isUsable(entry.row) ? entry.row : undefined
    })
  }
  const load = async (items: ValidateItem[]): Promise<ValidateRow[]> => {
    const loading: Loading = { drops: [], isVoid: false }
    underWay.add(loading)
    try {
      const rows = await read(items)
      if (loading.isVoid) return rows
      rows.forEach((row, i) => {
        keep(items[i] as ValidateItem, row)
      })
      loading.drops.forEach(apply)
      return rows
    } finally {
      underWay.delete(loading)
    }
  }
  const gatheredLookUp = gather(lookUp, 1)
  // One connection is left to those who look.
  const gatheredLoad = gather(load, Math.max(1, db.gathersAtOnce - 1))

  /** Answers as of a moment after it was asked. */
  return async (item: ValidateItem): Promise<ValidateRow> =>
    (await gatheredLookUp(item)) ?? gatheredLoad(item)
}

/** Brings a kept row to the database's present: its age grows, it expires, the gateway comes and goes. */
function isCurrent({ session }: ValidateRow, { nowMs, liveAsOfMs }: Changes): boolean {
  if (!session || session.expiresAtMs <= nowMs) return false
  session.ageMs = nowMs - session.syncedAtMs
  session.liveAsOfMs = liveAsOfMs.get(session.serverId) ?? null
  return true
}

function add(index: Map<string, Set<string>>, key: string, token: string) {
  const tokens = index.get(key)
  if (tokens) tokens.add(token)
  else index.set(key, new Set([token]))
}

function remove(index: Map<string, Set<string>>, key: string, token: string) {
  const tokens = index.get(key)
  tokens?.delete(token)
  if (tokens?.size === 0) index.delete(key)
}
