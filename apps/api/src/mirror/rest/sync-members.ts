import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ChatMember, ChatPlatformError } from '#chat/chat-platform'
import { readTime } from '#platform/db/read-time'
import type { MirrorDeps } from '../mirror-deps.ts'
import { mirrorMember } from '../mirror-member.ts'
import { upsertMembers } from '../write-members.ts'
import { writeMemberships } from '../write-memberships.ts'
import { listUnlisted, type SyncCounts, type SyncPlace } from './sync-store.ts'

/** The most that the platform lists at once. */
const pageSize = 1_000
/** Rows of one statement: few enough that whoever waits for the same connection or row hardly notices. */
const rowsPerStatement = { postgres: 250, pglite: 50 }
const pagesPerLogLine = 10
/** Members that one run asks about because the list lacked them. More than that wait for the next run. */
const mostQuestions = 10_000
const questionsPerBeat = 20

export interface SyncRun {
  readonly serverId: string
  /** Counted up while it runs. */
  readonly counts: SyncCounts
  /** Moved on while it runs; where it begins, when it was broken off. */
  readonly place: SyncPlace
  /** Says that the run goes on; throws when it must not. */
  beat(): Promise<void>
  /** Asks the platform, as often as it takes. */
  ask<T>(question: () => Promise<T>): Promise<T>
}

/**
 * Reads all members of a server from the platform, page by page at constant memory, and writes what differs.
 *
 * Whoever the list lacks is only suspected to have left. When the walk is complete, the platform is asked
 * about each of them, and only its own word for that one member ends the membership. A walk that breaks off
 * ends nothing.
 */
export async function syncMembers(deps: MirrorDeps, run: SyncRun): Promise<void> {
  const { place, counts } = run
  if (place.after !== null) await walk(deps, run, place.after)
  for (let asked = 0, id = place.suspects[0]; id !== undefined; id = place.suspects[0]) {
    const { member, askedAt } = await run.ask(async () => {
      const askedAt = await readTime(deps.db)
      return { askedAt, member: await deps.chat.member(run.serverId, id, 'background') }
    })
    await mirrorMember(deps, run.serverId, member?.user ?? { id }, member, askedAt)
    place.suspects.shift()
    if (!member) counts.ended += 1
    asked += 1
    if (!member || asked % questionsPerBeat === 0) await run.beat()
  }
}

/** Writes every member that the platform lists, and notes the current members whom it did not list. */
async function walk(deps: MirrorDeps, run: SyncRun, from: string): Promise<void> {
  const { db, chat, log, audit } = deps
  const { serverId, counts, place } = run
  let after = from
  for (let pages = 1; ; pages++) {
    const askedAt = await readTime(db)
    const page = await run.ask(async () => inOrder(await chat.members(serverId, after, pageSize), after))
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
      // The embedded engine answers without ever leaving this turn of the event loop.
      await nextTurn()
    }
    const upTo = page.length < pageSize ? undefined : page.at(-1)?.user.id
    const stretch = { serverId, after, upTo, ids: page.map(({ user }) => user.id), askedAt }
    const unlisted = await listUnlisted(db, stretch, mostQuestions - place.suspects.length)
    for (const { id } of unlisted) place.suspects.push(id)
    counts.seen += page.length
    place.after = upTo ?? null
    await run.beat()
    if (pages % pagesPerLogLine === 0) log.info({ serverId, ...counts }, 'member sync goes on')
    if (upTo === undefined) return
    after = upTo
  }
}

/** The page as it was promised: ascending, and beyond the last one. Anything else could go round for ever. */
function inOrder(page: ChatMember[], after: string): ChatMember[] {
  let last = BigInt(after)
  for (const { user } of page) {
    const id = BigInt(user.id)
    if (id <= last) throw new ChatPlatformError('unexpected', 'The chat platform lists members out of order.')
    last = id
  }
  return page
}
