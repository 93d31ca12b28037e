import { demo } from '@rolecall/chat-sim'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { type Observation, writeRecord } from '../../../../tools/compatibility.ts'
import { type GivenProject, givenProject, givenSession, validate } from '../given.ts'
import type { World } from '../service.ts'
import { logoutsOf } from './relying-parties/logouts.ts'
import {
  addGuest,
  hostOf,
  inside,
  logIn,
  type Party,
  type Row,
  type Seen,
  see,
} from './relying-parties/party.ts'
import { createStage, rows, type Stage } from './relying-parties/stage.ts'

const title = 'lets a member in, follows each change of roles, and shuts out a kicked member'

let stage: Stage
let world: World
/** A project with a session that shows what the service knows. */
let witness: GivenProject

beforeAll(async () => {
  stage = await createStage()
  world = stage.world()
  witness = await givenProject(world)
}, 600_000)
afterAll(() => stage?.close())

/** A member who uses a party (a site or a proxy) in a browser. */
interface Visit {
  readonly row: Row
  readonly party: Party
  readonly page: Page
  readonly member: string
}

/** Waits until the party shows the expected state. A party that asks for each request must show it immediately. */
async function expectSeen({ row, party, page }: Visit, seen: Partial<Seen>) {
  if (row.staleFor === undefined) expect(await see(party, page)).toMatchObject(seen)
  else await expect.poll(() => see(party, page), { interval: 20 }).toMatchObject(seen)
}

/** Tries a sign-in as a person who is not a member. */
async function tellsRefusal({ row, party, page }: Visit) {
  if (!row.showsRefusal) return
  const { id } = world.sim.world.addUser({ username: `stranger-at-${hostOf(row.program).split('.')[0]}` })
  await logIn(page, party, world, id)
  await page.getByText('not a member').waitFor()
  await page.context().clearCookies()
}

async function signsIn(visit: Visit): Promise<Observation[]> {
  const { page, party, member } = visit
  await logIn(page, party, world, member)
  await expectSeen(visit, inside)
  return [{ capability: 'signIn', result: 'yes' }]
}

async function signsOut(visit: Visit): Promise<Observation[]> {
  const { page, party } = visit
  if (!party.signOut) return []
  await party.signOut.begin(page)
  await page.waitForURL(party.origin + party.signOut.end)
  await expectSeen(visit, { status: 401 })
  // The member is signed out of the service, too, so the platform shows its screen again.
  await signsIn(visit)
  return [{ capability: 'signOut', result: 'program and Rolecall' }]
}

/** Expires all access tokens, as if ten minutes had passed. */
const endAccessTokens = () =>
  world.service.deps.db.execute(sql`
    update oidc_records set expires_at = clock_now() - interval '1 second' where model = 'AccessToken'`)

async function refreshes(visit: Visit): Promise<Observation[]> {
  if (!visit.row.refreshes) return []
  // The second refresh needs the refresh token that the first one returned.
  for (let i = 0; i < 2; i++) {
    await endAccessTokens()
    await expectSeen(visit, inside)
  }
  return [{ capability: 'refresh', result: 'rotates and keeps the tokens' }]
}

/** Makes a change on the platform, and waits until the service knows it. */
async function change(session: string, make: () => void, known: object) {
  make()
  await expect
    .poll(async () => (await validate(world, witness, session)).body, { interval: 20 })
    .toMatchObject(known)
}

async function followsRoles(visit: Visit, session: string): Promise<Observation[]> {
  const { row, member } = visit
  const set = (roles: string[]) => () => world.sim.world.setRoles(demo.mainGuildId, member, roles)
  await change(session, set([]), { roles: [] })
  await expectSeen(visit, row.withoutRole)
  if (row.leadsOut) await leavesDenied(visit)
  await change(session, set([demo.roles.crew]), { roles: [{ roleName: 'Crew' }] })
  await expectSeen(visit, inside)
  const result = row.withoutRole.status === 200 ? 'shown' : 'refused, then admitted'
  return [{ capability: 'liveRoles', result }]
}

/** Signs out on the page that denies access, and signs in again. */
async function leavesDenied({ party, page, member }: Visit) {
  await page.goto(party.origin)
  await page.getByRole('link').click()
  await page.waitForURL(party.origin + party.signOut?.end)
  await logIn(page, party, world, member)
}

async function shutsOut(visit: Visit, session: string): Promise<Observation[]> {
  const { row, party, member } = visit
  const kick = () => world.sim.world.removeMember(demo.mainGuildId, member)
  await change(session, kick, { code: 'INVALID_TOKEN' })
  const observed: Observation[] = []
  if (row.endsByLogout) {
    await expectLogoutAccepted(party)
    observed.push({ capability: 'backChannelLogout', result: 'accepted' })
  }
  await expectSeen(visit, { status: 401 })
  return [...observed, { capability: 'kicked', result: 'refused' }]
}

/** Waits until the party has accepted each logout token at the first attempt. */
async function expectLogoutAccepted(party: Party) {
  const logouts = await logoutsOf(world, party)
  const attempts = async () => (await logouts()).map(({ status, attempts }) => [status, attempts])
  await expect.poll(async () => (await attempts()).flat()).not.toContain('pending')
  const all = await attempts()
  expect(all.length).toBeGreaterThan(0)
  expect(all).toEqual(all.map(() => ['delivered', 1]))
}

const record = ({ program, guide, version, staleFor }: Row, observations: readonly Observation[]) =>
  writeRecord({
    ...{ program, guide, version: version() ?? 'unknown' },
    date: new Date().toISOString().slice(0, 10),
    test: { file: 'apps/api/test/process/relying-parties.browser.test.ts', title },
    observations: [...observations, { capability: 'staleness', result: staleFor ?? 'no time' }],
  })

/** The timeout in milliseconds. It is long because Next.js builds its site first. */
const timeout = 180_000

describe.each(rows)('a browser at $program', (row) => {
  test(title, { timeout }, async ({ skip }) => {
    const { program, isThere } = row
    skip(!isThere(), `${program} is not installed: CONTRIBUTING.md says what the suite needs`)
    const member = addGuest(world, program)
    const party = await stage.startParty(row)
    const context = await stage.browser.newContext({ ignoreHTTPSErrors: true })
    try {
      const visit = { row, party, member, page: await context.newPage() }
      await tellsRefusal(visit)
      const observed = [...(await signsIn(visit)), ...(await signsOut(visit)), ...(await refreshes(visit))]
      const { token } = await givenSession(world, witness, member)
      observed.push(...(await followsRoles(visit, token)), ...(await shutsOut(visit, token)))
      if (process.env['COMPATIBILITY'] === 'write') record(row, observed)
    } finally {
      await context.close()
      await party.stop()
    }
  })
})
