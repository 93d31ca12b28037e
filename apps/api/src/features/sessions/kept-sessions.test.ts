import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { type GivenProject, givenProject, givenSession } from '../../../test/given.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { digestOf } from '../../platform/crypto/tokens.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { createKeptSessions } from './kept-sessions.ts'
import { readForValidate, type ValidateItem } from './live-store.ts'

describe.each(engines)('kept sessions, on %s', (engine) => {
  let world: World
  let project: GivenProject
  /** What happens between reading rows and having them. */
  let meanwhile: () => Promise<unknown>
  let reads: number
  let ask: ReturnType<typeof createKeptSessions>
  beforeAll(async () => {
    world = await startWorld(engine, { PERMISSION_TTL_MS: '3600000' })
    project = await givenProject(world)
  })
  beforeEach(() => {
    const { db } = world.service.deps
    reads = 0
    meanwhile = async () => {}
    const read = async (items: ValidateItem[]) => {
      const rows = await readForValidate(db, items)
      reads += 1
      await meanwhile()
      return rows
    }
    ask = createKeptSessions(db, read, () => true)
  })
  afterAll(() => world.close())

  const itemOf = (token: string): ValidateItem => ({
    keyDigest: digestOf(project.key),
    tokenDigest: digestOf(token),
  })
  const given = async (memberId: string = demo.users.ada) => {
    const { token } = await givenSession(world, project, memberId)
    return itemOf(token)
  }
  const revoke = ({ tokenDigest }: ValidateItem, by: Queryable = world.service.deps.db) =>
    by.execute(
      sql`update sessions set revoked_at = clock_now(), revoked_reason = 'logout' where token_digest = ${tokenDigest}`,
    )

  test('answer again without reading again', async () => {
    const item = await given()
    for (let times = 0; times < 3; times++) expect((await ask(item)).session?.memberId).toBe(demo.users.ada)
    expect(reads).toBe(1)
  })

  // The embedded engine runs one transaction at a time: there none is ever open beside a look.
  if (engine === 'postgres') {
    test('are read once after a change, however long another transaction stays open, and its own is not missed', async () => {
      const { db } = world.service.deps
      const [item, left] = [await given(), await given(demo.users.joon)]
      for (const one of [item, left]) await ask(one)
      await db.transaction(async (open) => {
        await revoke(left, open)
        await db.execute(sql`update sessions set ip = ip where token_digest = ${item.tokenDigest}`)
        for (const one of [item, left, item, left]) expect((await ask(one)).session).toBeDefined()
      })
      expect(reads).toBe(3)
      expect((await ask(left)).session).toBeUndefined()
    })
  }

  test('are not what was read before a change that others have seen since', async () => {
    const [item, other] = [await given(), await given(demo.users.joon)]
    await ask(other)
    meanwhile = async () => {
      await revoke(item)
      meanwhile = async () => {}
      // Finds the change in the log before the row is here to be dropped.
      await ask(other)
    }
    expect((await ask(item)).session?.memberId).toBe(demo.users.ada)
    expect((await ask(item)).session).toBeUndefined()
    expect((await ask(other)).session?.memberId).toBe(demo.users.joon)
    expect(reads).toBe(3)
  })

  test('are nothing that was on its way when the log was not there to be read', async () => {
    const { db } = world.service.deps
    const [item, other] = [await given(), await given(demo.users.joon)]
    const { gathered } = db
    let behind: ReturnType<typeof ask> | undefined
    meanwhile = async () => {
      meanwhile = async () => {}
      await revoke(item)
      Object.assign(db, { gathered: () => Promise.reject(new Error('away')) })
      await expect(ask(other)).rejects.toThrow('away')
      // From here on the log is read again, and the change is in its past.
      let looks = 0
      const counted = (...asked: Parameters<typeof gathered>) => gathered(...asked).finally(() => ++looks)
      Object.assign(db, { gathered: counted })
      behind = ask(other)
      await expect.poll(() => looks).toBe(1)
      Object.assign(db, { gathered })
    }
    expect((await ask(item)).session?.memberId).toBe(demo.users.ada)
    expect((await behind)?.session?.memberId).toBe(demo.users.joon)
    expect((await ask(item)).session).toBeUndefined()
  })

  test('of others are answered while what nobody knows is read', async () => {
    const item = await given()
    await ask(item)
    let finish = () => {}
    meanwhile = () =>
      new Promise<void>((resolve) => {
        finish = resolve
      })
    const unknown = ask(itemOf('nobody has it'))
    await expect.poll(() => reads).toBe(2)
    expect((await ask(item)).session?.memberId).toBe(demo.users.ada)
    finish()
    expect((await unknown).session).toBeUndefined()
  })
})
