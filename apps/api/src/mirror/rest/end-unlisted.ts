import { readTime } from '#platform/db/read-time'
import { endMemberships } from '../end-memberships.ts'
import type { MirrorDeps } from '../mirror-deps.ts'
import { mirrorMember } from '../mirror-member.ts'
import type { SyncRun } from './sync-run.ts'
import type { Unlisted } from './sync-store.ts'

/** The maximum number of members per page that are checked before the memberships of the page are ended. */
const maxSampled = 5
/** The maximum number of members that are checked in a run. With more pages than that, one per page is checked. */
const maxSampledOfRun = 100
/** The maximum number of members that a run checks one by one. The others are left to the next run. */
const maxChecks = 10_000
const checksPerReport = 20
/**
 * The number of memberships that a transaction ends. Between two transactions, other work gets the database and the end
 * of the audit log.
 */
const endingsPerTransaction = { postgres: 200, pglite: 50 }
/** The largest expected difference between the clocks of Discord and the database, in milliseconds. */
const clockSlackMs = 10_000

/**
 * Ends the memberships of members who are missing in the list of a server. The list may be incomplete, so some of these
 * members are first requested from Discord one by one. If one of them is still a member, the list is not trusted, and
 * every missing member is requested.
 */
export async function endUnlisted(deps: MirrorDeps, run: SyncRun): Promise<void> {
  const { place, serverId } = run
  const checks = createChecks(deps, run)
  if (!(await isListComplete(run, checks))) {
    deps.log.warn({ serverId }, 'member list incomplete: checking each missing member')
    place.unlisted = place.unlisted.map((page) => ({ ...page, isDoubted: true }))
  }
  for (let page = place.unlisted[0]; page; page = place.unlisted[0]) {
    if (page.isDoubted) await checks.checkAll(page)
    else await endPage(deps, run, page)
    place.unlisted.shift()
    await run.reportProgress()
  }
}

/**
 * Requests a sample of the missing members from Discord. Returns false if one of them is still a member, and had joined
 * before the list was requested.
 */
async function isListComplete({ place }: SyncRun, checks: MemberChecks): Promise<boolean> {
  const trusted = place.unlisted.filter(({ isDoubted }) => !isDoubted)
  const sampled = Math.max(1, Math.min(maxSampled, Math.floor(maxSampledOfRun / Math.max(1, trusted.length))))
  for (const page of trusted) {
    const requestedAtMs = new Date(page.askedAt).getTime()
    for (const id of pickSome(page.ids, sampled)) {
      const member = await checks.check(id)
      // A member who joined after the request cannot be in the list.
      if (member && (member.joinedAt?.getTime() ?? 0) < requestedAtMs - clockSlackMs) return false
    }
  }
  return true
}

/** Ends the memberships of a page, in several transactions. */
async function endPage(deps: MirrorDeps, run: SyncRun, { ids, askedAt }: Unlisted): Promise<void> {
  const step = endingsPerTransaction[deps.db.engine]
  for (let at = 0; at < ids.length; at += step) {
    const endings = ids.slice(at, at + step).map((memberId) => ({ serverId: run.serverId, memberId }))
    run.counts.ended += await deps.db.transaction(async (tx) => {
      const ended = await endMemberships(tx, deps, endings, new Date(askedAt))
      await deps.audit.record(tx, ended)
      return ended.length
    })
    await run.reportProgress()
  }
}

type MemberChecks = ReturnType<typeof createChecks>

/** Creates the checks of single members at Discord. Each writes the response into the mirror. */
function createChecks(deps: MirrorDeps, { serverId, counts, request, reportProgress }: SyncRun) {
  let count = 0
  const check = async (id: string) => {
    const { member, requestedAt } = await request(async () => {
      const requestedAt = await readTime(deps.db)
      return { requestedAt, member: await deps.chat.member(serverId, id, 'background') }
    })
    await mirrorMember(deps, serverId, member?.user ?? { id }, member, requestedAt)
    if (!member) counts.ended += 1
    count += 1
    if (count % checksPerReport === 0) await reportProgress()
    return member
  }
  return {
    check,
    checkAll: async ({ ids }: Unlisted) => {
      for (const id of ids) if (count < maxChecks) await check(id)
    },
  }
}

/** Returns `count` random IDs, or all if there are fewer. */
function pickSome(ids: readonly string[], count: number): string[] {
  const remaining = [...ids]
  return Array.from({ length: Math.min(count, remaining.length) }, () => {
    const [picked = ''] = remaining.splice(Math.floor(Math.random() * remaining.length), 1)
    return picked
  })
}
