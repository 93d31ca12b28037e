import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { mainEngines } from '../../../test/databases.ts'
import { openEvents } from '../../../test/event-reader.ts'
import { type GivenProject, givenProject, givenSession } from '../../../test/given.ts'
import { createRandom } from '../../../test/random.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

/** Set SEED to cut at the same places again. */
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)

const sessionsEach = 150

describe.each(mainEngines)(`a client that is cut off at random on %s (SEED=${seed})`, (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })

  const { below: random } = createRandom(seed)

  /** Creates sessions of a project, as copies of one from a regular sign-in. */
  async function givenSessions(project: GivenProject) {
    await givenSession(world, project)
    await world.service.deps.db.execute(sql`
      insert into sessions (id, project_id, member_id, server_id, membership_generation, token_digest, refresh_digest,
        expires_at, max_expires_at)
      select gen_random_uuid(), project_id, member_id, server_id, membership_generation, 't' || id || n, 'r' || id || n,
        expires_at, max_expires_at
      from sessions, generate_series(1, ${sessionsEach - 1}) n where project_id = ${project.id}`)
    const rows = await world.service.deps.db.query<{ id: string }>(
      sql`select id from sessions where project_id = ${project.id}`,
    )
    return rows.map(({ id }) => id)
  }

  /** Ends sessions in many concurrent transactions; some of them are slow, and some roll back. */
  async function endAll(ids: string[]) {
    const left = [...ids]
    const worker = async () => {
      for (let some = left.splice(0, 1 + random(4)); some.length > 0; some = left.splice(0, 1 + random(4))) {
        const isUndone = random(5) === 0
        const pauses = random(4) * 5
        await world.service.deps.db
          .transaction(async (tx) => {
            for (const id of some) {
              await tx.execute(sql`update sessions set revoked_at = clock_now() where id = ${id}`)
              for (let i = 0; i < pauses; i++) await setImmediate()
            }
            if (isUndone) throw new Error('undone')
          })
          .catch(() => left.push(...some))
      }
    }
    await Promise.all(Array.from({ length: 6 }, worker))
  }

  /** Returns everything that a client receives if its stream is cut after every few events and resumed each time. */
  async function hear(project: GivenProject, count: number, from: string) {
    const heard: { id: string; sessionId: string }[] = []
    let lastId = from
    while (heard.length < count) {
      const reader = await openEvents(world.url, project, { lastId })
      const most = 1 + random(12)
      await expect
        .poll(() => reader.events.length >= most || heard.length + reader.events.length >= count, {
          interval: 2,
        })
        .toBe(true)
      reader.close()
      const taken = reader.events.slice(0, most)
      for (const { id, type, data } of taken) {
        expect(type).toBe('session.revoked')
        heard.push({ id, sessionId: (data as { sessionId: string }).sessionId })
      }
      lastId = heard.at(-1)?.id ?? lastId
    }
    return heard
  }

  test('hears every event of its project exactly in order, and none of others', async () => {
    const projects = [await givenProject(world), await givenProject(world)]
    const ids = await Promise.all(projects.map(givenSessions))
    const starts = await Promise.all(
      projects.map(async (project) => {
        const reader = await openEvents(world.url, project)
        reader.close()
        return reader.lastId()
      }),
    )
    const [, ...heard] = await Promise.all([
      endAll(ids.flat().sort(() => random(2) - 0.5)),
      ...projects.map((project, i) => hear(project, sessionsEach, starts[i] ?? '')),
    ])
    for (const [i, project] of projects.entries()) {
      const told = await world.service.deps.db.query<{ sessionId: string }>(sql`
        select data ->> 'sessionId' as "sessionId" from outbox
        where project_id = ${project.id} and type = 'session.revoked' order by xid, id`)
      expect(heard[i]?.map(({ sessionId }) => sessionId)).toEqual(told.map(({ sessionId }) => sessionId))
      expect(new Set(heard[i]?.map(({ sessionId }) => sessionId))).toEqual(new Set(ids[i]))
      expect(new Set(heard[i]?.map(({ id }) => id)).size).toBe(sessionsEach)
    }
  })
})
