import { readTime } from '#platform/db/read-time'
import { endMemberships } from '../end-memberships.ts'
import type { MirrorDeps } from '../mirror-deps.ts'
import { mirrorMember } from '../mirror-member.ts'
import type { SyncRun } from './sync-run.ts'
import type { Unlisted } from './sync-store.ts'

/**
 * The number of members of each page to verify at the platform before the others are ended; fewer if there are many
 * pages.
 */
const maxSampled = 5
const maxSampledOfRun = 100
/** The number of members that a run verifies one by one. All others wait for the next run. */
const maxQuestions = 10_000
const questionsPerReport = 20
/**
 * The number of memberships in one transaction: other work needs the database and the end of the audit log in
 * between.
 */
const endingsPerStatement = { postgres: 200, pglite: 50 }
/** The largest expected difference between the platform's clock and ours. */
const clockSlackMs = 10_000

/**
 * Ends the memberships that a complete list lacked. A list may still be wrong, so some members of each page are
 * verified first. Each is verified at the platform. If one of them is still a member, no membership ends because of
 * this list.
 */
export async function endUnlisted(deps: MirrorDeps, run: SyncRun): Promise<void> {
  const { place, serverId } = run
  const asked = createQuestions(deps, run)
  if (!(await isListTrue(run, asked))) {
    deps.log.warn({ serverId }, 'member list incomplete: checking each missing member')
    place.unlisted = place.unlisted.map((page) => ({ ...page, isDoubted: true }))
  }
  for (let page = place.unlisted[0]; page; page = place.unlisted[0]) {
    if (page.isDoubted) await asked.eachOf(page)
    else await endPage(deps, run, page)
    place.unlisted.shift()
    await run.reportProgress()
  }
}

async function isListTrue({ place }: SyncRun, asked: Questions): Promise<boolean> {
  const believed = place.unlisted.filter(({ isDoubted }) => !isDoubted)
  const sampled = Math.max(
    1,
    Math.min(maxSampled, Math.floor(maxSampledOfRun / Math.max(1, believed.length))),
  )
  for (const page of believed) {
    const askedAt = new Date(page.askedAt).getTime()
    for (const id of pickSome(page.ids, sampled)) {
      const member = await asked.about(id)
      // A member who joined since the list was requested is rightly not in it.
      if (member && (member.joinedAt?.getTime() ?? 0) < askedAt - clockSlackMs) return false
    }
  }
  return true
}

async function endPage(deps: MirrorDeps, run: SyncRun, { ids, askedAt }: Unlisted): Promise<void> {
  const step = endingsPerStatement[deps.db.engine]
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

type Questions = ReturnType<typeof createQuestions>

/** Creates requests about single members; each response is written at once. */
function createQuestions(deps: MirrorDeps, { serverId, counts, ask, reportProgress }: SyncRun) {
  let asked = 0
  const about = async (id: string) => {
    const { member, askedAt } = await ask(async () => {
      const askedAt = await readTime(deps.db)
      return { askedAt, member: await deps.chat.member(serverId, id, 'background') }
    })
    await mirrorMember(deps, serverId, member?.user ?? { id }, member, askedAt)
    if (!member) counts.ended += 1
    asked += 1
    if (asked % questionsPerReport === 0) await reportProgress()
    return member
  }
  return {
    about,
    eachOf: async ({ ids }: Unlisted) => {
      for (const id of ids) if (asked < maxQuestions) await about(id)
    },
  }
}

/** Returns this number of random elements, or all elements. */
function pickSome(ids: readonly string[], count: number): string[] {
  const left = [...ids]
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [picked = ''] = left.splice(Math.floor(Math.random() * left.length), 1)
    return picked
  })
}
