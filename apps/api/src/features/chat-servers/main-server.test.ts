import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findMainServer } from '#mirror/read-servers'
import { atOnce } from '../../../test/at-once.ts'
import { createDatabase, engines, type TestDatabase } from '../../../test/databases.ts'
import type { Database } from '../../platform/db/database.ts'
import { openDatabase } from '../../platform/db/open-database.ts'
import { sql } from '../../platform/db/sql.ts'
import { ensureMainServer } from './main-server.ts'

describe.each(engines)('the main server at start on %s', (engine) => {
  let stored: TestDatabase
  let instances: Database[]
  beforeAll(async () => {
    stored = await createDatabase(engine)
    instances = [await openDatabase(stored.url)]
    if (engine === 'postgres') instances.push(await openDatabase(stored.url), await openDatabase(stored.url))
  })
  afterAll(async () => {
    for (const db of instances) await db.close()
    await stored.drop()
  })
  const at = (i: number) => instances[i % instances.length] as Database
  const mains = async () =>
    (await at(0).query<{ id: string }>(sql`select id from servers where is_main`)).map(({ id }) => id)

  test('is made once from the configuration when there is no server, however many instances start at once', async () => {
    for (let round = 0; round < 8; round++) {
      await at(0).execute(sql`delete from servers`)
      const problems = await atOnce(12, (i) => ensureMainServer({ db: at(i) }, demo.mainGuildId))
      expect(problems.filter(Boolean)).toEqual([])
      expect(await mains()).toEqual([demo.mainGuildId])
    }
  })

  test('is one, also when instances with different configurations start at once, and the losers are told', async () => {
    for (let round = 0; round < 8; round++) {
      await at(0).execute(sql`delete from servers`)
      const ids = [demo.mainGuildId, demo.gamesGuildId] as const
      const problems = await atOnce(8, (i) => ensureMainServer({ db: at(i) }, ids[i % 2]))
      const [main, ...others] = await mains()
      expect(others).toEqual([])
      for (const [i, problem] of problems.entries()) expect(problem === undefined).toBe(ids[i % 2] === main)
    }
  })

  test('is not touched when there is one: another in the configuration is a sentence naming both', async () => {
    await at(0).execute(sql`delete from servers`)
    await ensureMainServer({ db: at(0) }, demo.mainGuildId)
    const problem = await ensureMainServer({ db: at(0) }, demo.gamesGuildId)
    expect(problem).toContain(`CHAT_GUILD_ID is ${demo.gamesGuildId}`)
    expect(problem).toContain(demo.mainGuildId)
    expect((await findMainServer(at(0)))?.id).toBe(demo.mainGuildId)
    expect(await ensureMainServer({ db: at(0) }, undefined)).toBeUndefined()
  })

  test('a second main flag is a unique violation for every writer', async () => {
    const second = at(0).execute(
      sql`insert into servers (id, name, is_main) values (${demo.gamesGuildId}, 'x', true)`,
    )
    await expect(second).rejects.toMatchObject({ code: '23505', constraint: 'servers_one_main' })
    await at(0).execute(sql`insert into servers (id, name) values (${demo.gamesGuildId}, 'x')`)
    const flag = at(0).execute(sql`update servers set is_main = true where id = ${demo.gamesGuildId}`)
    await expect(flag).rejects.toMatchObject({ code: '23505' })
  })
})
