import { setTimeout as sleep } from 'node:timers/promises'
import { demo } from '@rolecall/chat-sim'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Sql, sql } from '#platform/db/sql'
import {
  type BadDay,
  type CompatibilityRecord,
  type Observation,
  readRecords,
  writeRecord,
} from '../../../../tools/compatibility.ts'
import { rotateSigningKeys } from '../../src/features/oidc/signing-keys.ts'
import { call } from '../client.ts'
import { givenAdmin } from '../given.ts'
import { untilLive } from '../live-mirror.ts'
import { logoutsOf } from './relying-parties/logouts.ts'
import { addGuest, inside, logIn, type Party, type Row, see } from './relying-parties/party.ts'
import { createRelay, type Relay } from './relying-parties/relay.ts'
import { createStage, rows, type Stage } from './relying-parties/stage.ts'

/** A member who uses a party (a site or a proxy) in a browser. */
interface Visit {
  readonly row: Row
  readonly party: Party
  readonly context: BrowserContext
  readonly page: Page
  readonly member: string
  /** Forwards logout tokens to a party that accepts them. */
  readonly relay: Relay | undefined
}

let stage: Stage
/** The ID of the signing key after the restart. */
let nextKey: string
const visits = new Map<string, Visit>()
/** The value of `performance.now()` at the last sign-in before the restart, when programs last read the keys. */
let keysReadAtMs: number
/** The time in milliseconds for which programs that have just read the keys do not read them again. */
const keysRestMs = 30_000
/** The status of each program while the service was down. */
const statuses = new Map<string, number>()
const observed = new Map<string, Map<BadDay, string>>()

/** The difference, in milliseconds, of the clock of the service and its embedded database from the real time. */
let offMs = -300_000
const { now } = Date
const clock = vi.spyOn(Date, 'now')

async function setClock(seconds: number) {
  offMs = seconds * 1_000
  await stage.world().service.deps.answers.confirm()
  await untilLive(stage.world())
}

beforeAll(async () => {
  clock.mockImplementation(() => now() + offMs)
  stage = await createStage()
  // Starts one after the other. Together, they could make requests to the platform time out on a busy machine.
  for (const row of rows) if (row.isThere()) await beginVisit(row)
}, 600_000)
afterAll(async () => {
  for (const { party, relay } of visits.values()) {
    relay?.close()
    await party.stop()
  }
  await stage?.close()
  clock.mockRestore()
})

async function beginVisit(row: Row) {
  const party = await stage.startParty(row)
  const context = await stage.browser.newContext({ ignoreHTTPSErrors: true })
  const member = addGuest(stage.world(), row.program)
  const relay = row.endsByLogout && (await relayTo(party))
  visits.set(row.program, { row, party, context, page: await context.newPage(), member, relay })
}

/** Opens an address for the logout tokens of a party, and registers it. */
async function relayTo({ origin, project }: Party): Promise<Relay> {
  const relay = await createRelay(origin)
  await relay.open()
  const world = stage.world()
  const [path, token] = [`/api/admin/projects/${project.id}`, await givenAdmin(world)]
  const { body } = await call(world.url, 'GET', path, { token })
  const { pathname, search } = new URL(body.oidc.backchannelLogoutUri)
  const oidc = { backchannelLogoutUri: relay.origin + pathname + search }
  await call(world.url, 'PATCH', path, { token, body: { oidc } })
  return relay
}

function visitOf({ program, isThere }: Row, skip: (when: boolean, why: string) => void): Visit {
  skip(!isThere(), `${program} is not installed: CONTRIBUTING.md says what the suite needs`)
  const visit = visits.get(program)
  if (!visit) throw new Error(`${program} did not start`)
  return visit
}

function observe({ row: { program } }: Visit, day: BadDay, result: string) {
  observed.set(program, (observed.get(program) ?? new Map<BadDay, string>()).set(day, result))
}

/** Signs in with a browser that has no cookies. */
async function signsIn(visit: Visit) {
  const { party, page, member, context } = visit
  await context.clearCookies()
  await logIn(page, party, stage.world(), member)
  await continues(visit)
}

/** Waits until the party admits the member. Also works in a hook, unlike `expect.poll`. */
const continues = ({ party, page }: Visit) =>
  vi.waitFor(async () => expect(await see(party, page)).toEqual(inside), { timeout: 20_000, interval: 20 })

/** Waits until the party rejects the member. Returns the status. */
async function refusal({ party, page }: Visit): Promise<number> {
  const status = async () => (await see(party, page)).status
  await expect.poll(status, { interval: 20 }).not.toBe(200)
  return status()
}

/** Waits until the logout tokens of an action were sent once. Returns true if all were accepted. */
async function areLogoutsAccepted({ party }: Visit, action: () => unknown): Promise<boolean> {
  const logouts = await logoutsOf(stage.world(), party)
  const known = new Set((await logouts()).map(({ id }) => id))
  await action()
  const caused = async () => (await logouts()).filter(({ id }) => !known.has(id))
  await expect
    .poll(async () => (await caused()).map(({ attempts }) => Math.min(attempts, 1)))
    .toSatisfy((tried: number[]) => tried.length > 0 && !tried.includes(0))
  return (await caused()).every(({ status }) => status === 'delivered')
}

/** Waits until a party has accepted every logout token. Makes the next attempts due immediately. */
async function untilLogoutsAccepted({ party }: Visit) {
  const world = stage.world()
  const logouts = await logoutsOf(world, party)
  const passHour = (table: Sql) =>
    world.service.deps.db.execute(
      sql`update ${table} set next_attempt_at = next_attempt_at - interval '1 hour'`,
    )
  const attempt = async () => {
    for (const table of [sql`deliveries`, sql`receivers`]) await passHour(table)
    for (const { status } of await logouts()) expect(status).toBe('delivered')
  }
  await vi.waitFor(attempt, { timeout: keysRestMs + 20_000, interval: 100 })
}

async function endSessions({ member }: Visit) {
  const world = stage.world()
  const path = `/api/admin/members/${member}/sessions`
  await call(world.url, 'DELETE', path, { token: await givenAdmin(world) })
}

/** Tests sign-ins and logouts while the clock of the service differs from that of the programs. */
function describeClock(day: BadDay, seconds: number) {
  describe(`with a service that is off by ${seconds} seconds`, () => {
    beforeAll(() => setClock(seconds))

    test.for(rows)('$program lets members in', async (row, { skip }) => {
      const visit = visitOf(row, skip)
      await signsIn(visit)
      if (!row.endsByLogout) return observe(visit, day, 'signs in')
      const isAccepted = await areLogoutsAccepted(visit, () => endSessions(visit))
      await refusal(visit)
      observe(visit, day, `signs in; logout tokens ${isAccepted ? 'accepted' : 'refused'}`)
    })
  })
}

// The clock only moves forward, like that of a machine that was suspended.
describeClock('clockFast', -300)

describe('while the service is down', () => {
  beforeAll(async () => {
    await setClock(0)
    const all = [...visits.values()]
    // A late token ends newer sessions of the member, too (express-openid-connect).
    for (const visit of all) if (visit.relay) await untilLogoutsAccepted(visit)
    for (const visit of all) await signsIn(visit)
    keysReadAtMs = performance.now()
    const { deps } = stage.world().service
    // Lets the new key sign immediately, so that no program has read it before.
    nextKey = await rotateSigningKeys(deps)
    await deps.db.execute(sql`
      update oidc_signing_keys set signs_from = signs_from - interval '1 hour' where kid = ${nextKey}`)
    await stage.stopService()
  })
  afterAll(() => stage.startService())

  test.for(rows)('$program lets no member in, and does not sign them out', async (row, { skip }) => {
    statuses.set(row.program, await refusal(visitOf(row, skip)))
  })
})

describe('after a restart with another signing key', () => {
  // Waits until the programs read the keys again. On a fast machine, the restart takes less time than that.
  beforeAll(() => sleep(Math.max(0, keysReadAtMs + keysRestMs - performance.now())))

  test.for(rows)('$program continues, and lets members in', async (row, { skip }) => {
    const visit = visitOf(row, skip)
    await continues(visit)
    observe(visit, 'restart', `${statuses.get(row.program)}, then continues`)
    const [key] = (await call(stage.world().url, 'GET', '/oidc/jwks')).body.keys
    expect(key.kid).toBe(nextKey)
    await signsIn(visit)
    observe(visit, 'signingKey', 'signs in')
  })
})

test.for(rows.filter(({ endsByLogout }) => endsByLogout))(
  '$program shuts out a member whose logout token arrives an hour late',
  async (row, { skip }) => {
    const given = visitOf(row, skip)
    const world = stage.world()
    const visit = { ...given, member: addGuest(world, row.program) }
    await signsIn(visit)
    visit.relay?.close()
    const kick = () => world.sim.world.removeMember(demo.mainGuildId, visit.member)
    expect(await areLogoutsAccepted(visit, kick)).toBe(false)
    const status = await refusal(visit)
    await visit.relay?.open()
    await untilLogoutsAccepted(visit)
    await expect.poll(async () => (await see(visit.party, visit.page)).status).toBe(401)
    observe(visit, 'receiverDown', `${status}, then accepts the token`)
  },
)

describeClock('clockSlow', 300)

const title = 'the page shows what this run saw of $program'

test.for(rows)(title, (row, { skip }) => {
  const { program, guide, version } = visitOf(row, skip).row
  const observations: Observation[] = [...(observed.get(program) ?? [])].map(([capability, result]) => ({
    capability,
    result,
  }))
  const record: CompatibilityRecord = {
    ...{ program, guide, version: version() ?? 'unknown' },
    date: new Date().toISOString().slice(0, 10),
    test: { file: 'apps/api/test/process/bad-days.browser.test.ts', title },
    observations,
  }
  if (process.env['COMPATIBILITY'] === 'write') return writeRecord(record)
  const recorded = readRecords().find(({ test, ...one }) => test.title === title && one.program === program)
  // Compares only with a record of the same version, because another version may behave differently.
  if (recorded?.version === record.version) expect(observations).toEqual(recorded.observations)
})
