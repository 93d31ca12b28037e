import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { engines } from '../../../test/databases.ts'
import { startLiveMirror, untilLive } from '../../../test/live-mirror.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import type { LiveMirror } from './status.ts'

describe.each(engines)('on %s, a statement that no database would take', (engine) => {
  const world = worldForTests(engine)
  let mirror: LiveMirror | undefined
  afterAll(() => mirror?.close())

  test('keeps the mirror from being live only for as long as it is met', async () => {
    const { db } = world.service.deps
    await db.query(sql`alter table live_mirror rename to nowhere`)
    mirror = startLiveMirror(world.service)
    // Long enough for several attempts, each of which meets the fault.
    await sleep(1_000)
    await db.query(sql`alter table nowhere rename to live_mirror`)
    await untilLive(world)
  })
})
