import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ChatMember, ChatPlatformError } from '#chat/chat-platform'
import { type Database, DatabaseUnavailable } from '#platform/db/database'
import { readTime } from '#platform/db/read-time'
import type { MirrorDeps } from '../mirror-deps.ts'
import { upsertMembers } from '../write-members.ts'
import { writeMemberships } from '../write-memberships.ts'
import { endUnlisted } from './end-unlisted.ts'
import type { SyncRun } from './sync-run.ts'
import { listUnlisted, type Stretch, type SyncPlace } from './sync-store.ts'

/** The maximum number of members that Discord returns at once. */
const pageSize = 1_000
/**
 * The number of rows in a statement. It is small, so that other statements on these rows, or on the only connection of
 * the embedded database, wait only briefly.
 */
const rowsPerStatement = { postgres: 250, pglite: 50 }
const pagesPerLogLine = 10
/** The maximum number of missing members that a run records. The others are left to the next run. */
const maxUnlisted = 50_000
/**
 * If a run has written this many rows, it updates the statistics of the query planner. After fewer, the database does
 * that by itself.
 */
const manyRows = 1_000

/**
 * Reads all members of a server from Discord, and writes the differences. It reads page by page, so memory use does not
 * grow with the server.
 *
 * Members that are missing in a completely read list have left, unless a check contradicts (see `endUnlisted`). A run
 * that stops early ends no membership.
 */
export async function syncMembers(deps: MirrorDeps, run: SyncRun): Promise<void> {
  if (run.place.after !== null) await walk(deps, run, run.place.after)
  await endUnlisted(deps, run)
  if (run.counts.changed >= manyRows) await analyze(deps)
}

/**
 * Updates the statistics of the query planner. With outdated ones, a search in a list of thousands of members would
 * read an index once per member. That takes a minute on PostgreSQL, and much longer with the embedded engine.
 */
const analyze = ({ db, log }: Pick<MirrorDeps, 'db' | 'log'>) =>
  db.analyze('members', 'memberships', 'roles').catch((error: unknown) => {
    if (!(error instanceof DatabaseUnavailable)) log.warn({ err: error }, 'member tables not analyzed')
  })

/** Writes every member that Discord lists, and records the current members that it did not list. */
async function walk(deps: MirrorDeps, run: SyncRun, from: string): Promise<void> {
  const { db, chat, log, audit } = deps
  const { serverId, counts, place } = run
  let after = from
  for (let pages = 1; ; pages++) {
    const askedAt = await readTime(db)
    const page = await run.request(async () => inOrder(await chat.members(serverId, after, pageSize), after))
    for (let at = 0; at < page.length; at += rowsPerStatement[db.engine]) {
      const rows = page.slice(at, at + rowsPerStatement[db.engine])
      counts.changed += await db.transaction(async (tx) => {
        await upsertMembers(
          tx,
          rows.map(({ user }) => ({ user, serverId })),
          askedAt,
        )
        const listed = rows.map((member) => ({ serverId, member }))
        const { changed, events } = await writeMemberships(tx, deps, listed, askedAt, 'old')
        await audit.record(tx, events)
        return changed
      })
      // The embedded engine responds without leaving the current turn of the event loop, so other work would have to
      // wait.
      await nextTurn()
    }
    const upTo = await recordUnlisted(db, run, { after, page, askedAt })
    counts.seen += page.length
    place.after = upTo ?? null
    await run.reportProgress()
    if (pages % pagesPerLogLine === 0) log.info({ serverId, ...counts }, 'member sync in progress')
    if (upTo === undefined) return
    after = upTo
  }
}

/**
 * Records the members that are missing in a page. Returns the last ID that was read, or undefined at the end of the
 * list. According to Discord's documentation, a page that is not full is the last one. If the mirror has members after
 * it, the next page is requested nevertheless.
 */
async function recordUnlisted(
  db: Database,
  { serverId, place }: SyncRun,
  { after, page, askedAt }: { after: string; page: readonly ChatMember[]; askedAt: Date },
): Promise<string | undefined> {
  const last = page.at(-1)?.user.id
  const ids = page.map(({ user }) => user.id)
  const missing = (upTo: string | undefined) => {
    const stretch: Stretch = { serverId, after, upTo, ids, askedAt }
    return listUnlisted(db, stretch, maxUnlisted - counted(place))
  }
  let upTo = page.length < pageSize ? undefined : last
  let unlisted = await missing(upTo)
  if (upTo === undefined && last !== undefined && unlisted.some(({ id }) => BigInt(id) > BigInt(last))) {
    upTo = last
    unlisted = await missing(upTo)
  }
  for (const isDoubted of [true, false]) {
    const found = unlisted.filter(({ isNew }) => isNew === isDoubted).map(({ id }) => id)
    if (found.length > 0) place.unlisted.push({ askedAt: askedAt.toISOString(), ids: found, isDoubted })
  }
  return upTo
}

const counted = ({ unlisted }: SyncPlace) => unlisted.reduce((sum, { ids }) => sum + ids.length, 0)

/** Checks that the IDs of a page ascend and follow those of the last page. Otherwise, the loop might never end. */
function inOrder(page: ChatMember[], after: string): ChatMember[] {
  let last = BigInt(after)
  for (const { user } of page) {
    const id = BigInt(user.id)
    if (id <= last) throw new ChatPlatformError('unexpected', 'Discord returned members out of order.')
    last = id
  }
  return page
}
