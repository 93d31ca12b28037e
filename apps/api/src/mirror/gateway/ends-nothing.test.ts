import { demo, type Fault } from '@rolecall/chat-sim'
import { afterEach, describe, expect, test } from 'vitest'
import { givenSession, validate } from '../../../test/given.ts'
import {
  beginAnew,
  leaveUnheard,
  liveMirrorForTests,
  memberEntries,
  until,
  untilLive,
  untilNotLive,
  untilTrue,
} from '../../../test/live-mirror.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

const club = demo.mainGuildId
const { joon, kenji } = demo.users

// The adapter interprets the platform's responses, not the database: one engine is enough.
describe('only the platform’s own word ends a membership', () => {
  const world = worldForTests('postgres')
  liveMirrorForTests(world)
  const project = projectForTests(world)
  afterEach(async () => {
    await world.sim.up()
    world.sim.clearFaults()
    await untilLive(world)
  })

  const statusOf = async (token: string) => (await validate(world, project, token)).status

  // One member has left without an event, so each reading doubts that membership: the hardest moment for keeping
  // it.
  test.each<[string, Fault]>([
    ['unknown server (10004)', { status: 404, code: 10_004 }],
    ['missing access (50001)', { status: 403, code: 50_001 }],
    ['a lost permission (50013)', { status: 403, code: 50_013 }],
    ['a limit', { status: 429, retryAfterSec: 1 }],
    ['a limit at the edge', { status: 429, plain1015: true }],
    ['an error', { status: 500 }],
    ['an error page', { status: 502, html: true }],
    ['a page instead of JSON', { html200: true }],
    ['half an answer', { truncate: true }],
    ['a cut connection', { reset: true }],
  ])('%s ends nothing, and what had ended ends when it is over, once', async (_, fault) => {
    const session = await givenSession(world, project, joon)
    leaveUnheard(world, club, joon)
    world.sim.failFor('member', fault, 60_000, { path: joon })
    const asked = world.sim.journal.count('member')
    await beginAnew(world)
    await until('it was asked about', () => world.sim.journal.count('member') > asked)
    expect(await statusOf(session.token)).toBe(200)
    const before = (await memberEntries(world, joon)).length
    world.sim.clearFaults()
    await until('the session is over', async () => (await statusOf(session.token)) === 401)
    await untilTrue(world)
    expect((await memberEntries(world, joon)).length).toBe(before + 1)
    world.sim.world.addMember(club, joon)
    await untilTrue(world)
    expect(await statusOf(session.token)).toBe(401)
  })

  test.each<[string, () => Promise<void> | void]>([
    ['the whole platform is away', () => world.sim.down()],
    [
      'the list of members is refused',
      () => void world.sim.failFor('members', { status: 403, code: 50_001 }, 60_000),
    ],
    ['the list of members fails', () => void world.sim.failFor('members', { status: 503 }, 60_000)],
    [
      'the server cannot be read',
      () => void world.sim.failFor('guild', { status: 404, code: 10_004 }, 60_000),
    ],
  ])('nothing ends while %s', async (_, trouble) => {
    const session = await givenSession(world, project, kenji)
    await trouble()
    world.sim.gateway.invalidSession(false)
    await untilNotLive(world)
    expect(await statusOf(session.token)).toBe(200)
    await world.sim.up()
    world.sim.clearFaults()
    await untilLive(world)
    await untilTrue(world)
    expect(await statusOf(session.token)).toBe(200)
    expect(await memberEntries(world, kenji)).toEqual([])
  })
})
