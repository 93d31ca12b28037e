import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { openEvents } from '../../../test/event-reader.ts'
import { givenAdmin, givenSession, validate } from '../../../test/given.ts'
import { givenChannel, replaceKey } from '../../../test/given-channel.ts'
import { startLiveMirror, until, untilLive } from '../../../test/live-mirror.ts'
import { type PostgresServer, startMigratedPostgres } from '../../../test/postgres.ts'
import { defaultRetention } from '../../../test/retention.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { startHousekeeping } from '../../features/housekeeping/start-housekeeping.ts'
import { reviewStoredSchemas } from '../../features/webhooks/review-schemas.ts'
import type { LiveMirror } from '../../mirror/gateway/status.ts'
import { trimChanges } from '../../session-memory/change-log-store.ts'

let postgres: PostgresServer
let world: World
let mirror: LiveMirror
beforeAll(async () => {
  postgres = await startMigratedPostgres()
  world = await startWorld('postgres', {}, { url: postgres.url, drop: async () => {} })
  mirror = startLiveMirror(world.service)
  world.service.deps.deliveries.start()
})
afterAll(async () => {
  await mirror.close()
  await world.close()
  await postgres.stop()
})

test('an outage is one line at its begin and one at its end, also with work in the background', async () => {
  const { deps, recorder, logs } = world.service
  const project = await givenChannel(world)
  const session = await givenSession(world, project)
  const token = await givenAdmin(world)
  const housekeeping = startHousekeeping(deps, {
    trimChanges: (horizon) => trimChanges(deps.db, horizon),
    endKeys: async () => {},
    retention: () => defaultRetention,
    steps: [],
  })
  await untilLive(world)
  const events = await openEvents(world.url, project)
  await housekeeping.clean()
  const before = logs.lines.length

  // Each finds the database gone between two of its statements: a read of all members, a delivery, a gateway event.
  world.sim.failNext('members', { delayMs: 1_500 })
  expect(
    (await call(world.url, 'POST', `/api/admin/servers/${demo.mainGuildId}/sync`, { token })).status,
  ).toBe(202)
  await until('the members are asked for', () => world.sim.journal.entries('members').length > 0)
  await replaceKey(world, project, 3)
  await postgres.down('kill')
  world.sim.world.removeMember(demo.mainGuildId, demo.users.tomas)
  world.sim.gateway.invalidSession(false)
  for (let round = 0; round < 3; round++) {
    const asked = await Promise.all(Array.from({ length: 10 }, () => validate(world, project, session.token)))
    expect(asked.map(({ status }) => status)).toEqual(Array(10).fill(503))
    await housekeeping.clean()
    await recorder.flush()
    await reviewStoredSchemas(deps)
  }
  await until('the outage is told', () => told(logs.lines.slice(before)).length > 0)
  await postgres.start()
  await until('the outage is over', () => told(logs.lines.slice(before)).length > 1)
  await untilLive(world)
  await housekeeping.close()
  events.close()

  const since = logs.lines.slice(before)
  expect(told(since)).toEqual([
    'database unreachable: requests that need it return 503',
    'database reachable again',
  ])
  expect(since.filter((line) => levelOf(line) > 20 && line.includes('"stack"'))).toEqual([])
})

const levelOf = (line: string) => Number(/"level":(\d+)/.exec(line)?.[1])
const told = (lines: readonly string[]) =>
  lines.flatMap((line) => /"msg":"(database [^"]*)/.exec(line)?.slice(1) ?? [])
