import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { startLiveMirror, until, untilLive } from '../../../test/live-mirror.ts'
import type { Service } from '../../../test/service.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import type { LiveMirror } from './status.ts'

const world = worldForTests('postgres')
let other: Service
let mirrors: LiveMirror[]
beforeAll(async () => {
  other = await world.another()
  mirrors = [world.service, other].map((service) => startLiveMirror(service))
  await untilLive(world)
}, 120_000)
afterAll(() => Promise.all(mirrors.map((mirror) => mirror.close())))

/** A disk on which the lead can be taken, and no renewal finds room. */
const fill = `
  create function no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file' using errcode = '53100'; end $$;
  create trigger no_room before update on live_mirror for each row
    when (old.epoch = new.epoch) execute function no_room();`

test('on a full disk the lead stays where it is, which is said once, and the one who has it goes on when there is room', async () => {
  const { db } = world.service.deps
  const epochNow = async () =>
    (await db.maybeOne<{ epoch: number }>(sql`select epoch from live_mirror`))?.epoch ?? 0
  const said = () =>
    [world.service, other].flatMap(({ logs }) =>
      logs.lines.filter((line) => line.includes('gateway leadership not acquired')),
    ).length
  const epoch = await epochNow()
  await db.script(fill)
  await until('the other one has tried to lead', () => said() > 0, 40_000)
  expect(await epochNow()).toBe(epoch)
  await db.script('drop function no_room() cascade')
  await untilLive(world)
  expect(await epochNow()).toBe(epoch)
  expect(said()).toBe(1)
}, 90_000)
