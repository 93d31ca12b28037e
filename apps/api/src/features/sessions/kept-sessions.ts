import type { Database } from '#platform/db/database'
import { type Changes, readChanges } from './change-log.ts'
import type { ValidateItem, ValidateRow } from './live-store.ts'

/** About 1.5 kB each. */
const mostKept = 50_000
/** Whoever has not looked for so long starts anew: older changes may be gone from the log. */
const longestPauseMs = 5 * 60_000

/** The horizon of a reader that keeps nothing: whatever happened before is in what it loads next. */
const fromNowOn = '9223372036854775807'

interface Kept {
  readonly keyDigest: string
  readonly row: ValidateRow
}

/**
 * Finished answers in memory, and yet as strict as reading each from the database.
 *
 * What can happen when: one run at a time. A run first reads the change log, in a snapshot taken after all
 * of its items were asked for, and drops what changed; what is still there is as good as read now. What is
 * not there is loaded after that. A change that commits after the log was read is in the log that the next
 * run reads before it uses anything, because each run asks for all transactions that were unfinished when
 * the run before it looked. So nothing kept is ever used past a change that a client could know of.
 */
export function createKeptSessions(db: Database, load: (items: ValidateItem[]) => Promise<ValidateRow[]>) {
  const kept = new Map<string, Kept>()
  const tokensOfMember = new Map<string, Set<string>>()
  const tokensOfKey = new Map<string, Set<string>>()
  let last: Changes | undefined

  const clear = () => {
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
      const changes = await readChanges(db, last?.horizon ?? fromNowOn)
      const isContinued =
        last && last.serverStart === changes.serverStart && changes.nowMs - last.nowMs < longestPauseMs
      if (isContinued) changes.drops.forEach(apply)
      else clear()
      last = changes
      return changes
    } catch (error) {
      clear()
      last = undefined
      throw error
    }
  }

  /** Answers all items as of a moment after they were asked for. `isUsable` says whether a kept row will do. */
  return async (items: ValidateItem[], isUsable: (row: ValidateRow) => boolean): Promise<ValidateRow[]> => {
    const changes = await look()
    const rows: (ValidateRow | undefined)[] = items.map((item) => {
      const entry = kept.get(item.tokenDigest)
      if (entry?.keyDigest !== item.keyDigest) return undefined
      return isCurrent(entry.row, changes) && isUsable(entry.row) ? entry.row : undefined
    })
    const missing = items.filter((_, i) => rows[i] === undefined)
    if (missing.length === 0) return rows as ValidateRow[]
    const loaded = await load(missing)
    let next = 0
    return rows.map((row, i) => {
      if (row) return row
      const fresh = loaded[next] as ValidateRow
      next += 1
      keep(items[i] as ValidateItem, fresh)
      return fresh
    })
  }
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
