import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readTime } from '#platform/db/read-time'
import { sql } from '#platform/db/sql'
import { createTrouble, maxDelayMs } from '../../../test/chaos-trouble.ts'
import { createTruth, type Truth } from '../../../test/chaos-truth.ts'
import { type GivenProject, givenProject, givenSession, validate } from '../../../test/given.ts'
import { type Instance, startInstance } from '../../../test/instance.ts'
import { memberEntries, until, untilLive, untilTrue } from '../../../test/live-mirror.ts'
import { createRandom, type Random } from '../../../test/random.ts'
import { startWorld, type World } from '../../../test/service.ts'

const club = demo.mainGuildId
const minutes = Number(process.env['CHAOS_MINUTES'] ?? 0.15)
const seed = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000)
/** The longest time from the end of all faults to a live mirror, including the replacement of a leader. */
const maxRecoveryMs = 90_000
const maxSessions = 20
const freshnessMs = 1_000
/** The error allowed in the stated age of roles: the promised freshness, and the platform's delay. */
const slackMs = freshnessMs + maxDelayMs

interface Session {
  readonly memberId: string
  readonly token: string
  readonly since: number
}

let world: World
let project: GivenProject
let instances: Instance[]
let random: Random
let truth: Truth
let memberIds: string[]
const sessions: Session[] = []

beforeAll(async () => {
  console.log(`chaos: CHAOS_SEED=${seed} CHAOS_MINUTES=${minutes}`)
  random = createRandom(seed)
  world = await startWorld('postgres', { RATE_LIMIT_GLOBAL: '0' })
  project = await givenProject(world)
  memberIds = (world.sim.world.guilds.get(club)?.members.page('0', 80) ?? [])
    .map(({ user_id }) => user_id)
    .filter((id) => ![demo.users.bot, demo.users.tidebot].some((bot) => bot === id))
  truth = createTruth(world.sim, random, memberIds)
  instances = await Promise.all([start(), start()])
  await untilLive(world)
  await logInMore()
}, 120_000)
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.kill()))
  await world.close()
})

const start = () => startInstance(world.database.url, world.sim, { RATE_LIMIT_GLOBAL: '0' })
/** Members come and go: current members replace those with ended sessions. */
const logInMore = async () => {
  for (const memberId of memberIds) {
    if (sessions.length >= maxSessions) return
    if (!truth.isMember(memberId) || sessions.some((session) => session.memberId === memberId)) continue
    const { token } = await givenSession(world, project, memberId)
    sessions.push({ memberId, token, since: Date.now() })
  }
}
const rolesIn = (body: { roles: { roleId: string }[] }) =>
  body.roles
    .map(({ roleId }) => roleId)
    .toSorted()
    .join()

const timeOf = (at: number) => new Date(at).toISOString().slice(14, -1)

/** Validates once at any moment: the roles are never older than the response states. */
async function probe(session: Session) {
  const { memberId, token, since } = session
  const url = random.one(instances)?.url
  if (!url) return
  const reply = await validate({ url }, project, token).catch(() => undefined)
  const answeredAt = Date.now()
  // An instance that is killed meanwhile does not respond.
  if (!reply) return
  const about = `${memberId} ${reply.status} ${JSON.stringify(reply.body)} ${JSON.stringify(truth.tail(memberId))}`
  if (reply.status === 401) {
    expect(
      truth.departures(memberId).some((at) => at >= since - slackMs),
      about,
    ).toBe(true)
    return
  }
  expect(reply.status, about).toBe(200)
  // For the other roles, `rolesAsOf` covers only the assignment; their names may be older.
  if (reply.body.rolesSource !== 'gateway') return
  const asOf = Date.parse(reply.body.rolesAsOf)
  expect(asOf, about).toBeGreaterThan(answeredAt - 15_000)
  expect(truth.wasTrue(memberId, rolesIn(reply.body), asOf - slackMs, answeredAt), about).toBe(true)
}

/** Edits and probes without a pause, and injects faults now and then. */
async function rage(
  ms: number,
  trouble: ReturnType<typeof createTrouble>,
  names: string[],
  mayKill: boolean,
) {
  const end = performance.now() + ms
  let killAt = mayKill ? performance.now() + ms * 0.4 : Number.POSITIVE_INFINITY
  while (performance.now() < end) {
    truth.edit()
    if (random.chance(0.015)) names.push(`${trouble.make()} at ${timeOf(Date.now())}`)
    if (random.chance(0.25)) await probe(random.one(sessions) as Session)
    else await new Promise((resolve) => setTimeout(resolve, random.below(20)))
    if (performance.now() < killAt) continue
    killAt = Number.POSITIVE_INFINITY
    // There may be no leader at this moment: then any instance is killed.
    const leader = Math.max(0, leading())
    names.push(`kill -9 at ${timeOf(Date.now())}`)
    await instances[leader]?.kill()
    instances.splice(leader, 1)
  }
}

/** Returns the index of the instance that leads. */
const leading = () => instances.findIndex((one) => one.timesLeading() > 0 && !one.hasLostLeadership())

/** Waits until the mirror is live as of now, within the limit; returns the duration. */
async function untilRecovered(): Promise<number> {
  const { db } = world.service.deps
  const [healedAt, startedAt] = [await readTime(db), performance.now()]
  const isRecovered = async () =>
    (await db.maybeOne(sql`
      select from servers where id = ${club} and live_until > clock_now() and live_as_of > ${healedAt}`)) !==
    undefined
  await until('the mirror is vouched for', isRecovered, maxRecoveryMs)
  return performance.now() - startedAt
}

/** Expects that every instance returns the true state, and that the faults leave no other trace. */
async function expectTruth() {
  await untilTrue(world, club, freshnessMs)
  const ended: Session[] = []
  for (const session of sessions) {
    const { memberId, token, since } = session
    for (const { url } of instances) {
      const { status, body } = await validate({ url }, project, token)
      const about = `${memberId} at ${url}: ${status} ${JSON.stringify(truth.tail(memberId))}`
      if (status === 401) {
        expect(
          truth.departures(memberId).some((at) => at >= since - slackMs),
          about,
        ).toBe(true)
        if (!ended.includes(session)) ended.push(session)
      } else {
        expect({ status, roles: rolesIn(body) }, about).toEqual({
          status: 200,
          roles: truth.rolesOf(memberId),
        })
        // On a busy machine a renewal may be late; until it comes, responses use REST and say so.
        await until('the answer is the mirror’s', async () => {
          const again = await validate({ url }, project, token)
          return again.body.rolesSource === 'gateway'
        })
      }
    }
  }
  for (const memberId of new Set(ended.map((session) => session.memberId))) {
    const entries = await memberEntries(world, memberId)
    expect(entries.length, memberId).toBeGreaterThan(0)
    // If members left and returned while the gateway was away, REST may report the departure first, and the replay
    // again.
    expect(entries.length, memberId).toBeLessThanOrEqual(2 * truth.departures(memberId).length)
  }
  sessions.splice(0, sessions.length, ...sessions.filter((one) => !ended.includes(one)))
  await logInMore()
}

test(
  'under any trouble the mirror says how old it is, and is the truth whenever there is quiet',
  async () => {
    const trouble = createTrouble(world.sim, random)
    const end = performance.now() + minutes * 60_000
    for (let round = 1; round === 1 || performance.now() < end; round++) {
      while (instances.length < 2) instances.push(await start())
      const mayKill = round === 1 || random.chance(0.3)
      const names: string[] = []
      let took = 'never vouched for'
      try {
        await rage(random.between(2_500, 7_000), trouble, names, mayKill)
        await trouble.end()
        took = `vouched for after ${((await untilRecovered()) / 1_000).toFixed(1)} s`
        while (instances.length < 2) instances.push(await start())
        await expectTruth()
      } catch (error) {
        for (const instance of instances) console.log(instance.told())
        throw error
      } finally {
        console.log(`chaos: round ${round}, ${took}: ${names.join(', ')}`)
      }
    }
  },
  minutes * 60_000 + 180_000,
)
