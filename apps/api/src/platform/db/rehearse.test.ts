import { beforeAll, describe, expect, test } from 'vitest'
import { databaseForTests } from '../../../test/database-for-tests.ts'
import { engines } from '../../../test/databases.ts'
import type { Database } from './database.ts'
import { rehearse } from './rehearse.ts'
import { sql } from './sql.ts'

describe.each(engines)('a rehearsal on %s', (engine) => {
  const db = databaseForTests(engine)
  beforeAll(async () => {
    await db.script(`
      create table boats (name text primary key, tows text references boats deferrable initially deferred);
      insert into boats values ('Harbour tug')`)
  })
  const names = async (from: Pick<Database, 'query'>) =>
    (await from.query<{ name: string }>(sql`select name from boats order by name`)).map(({ name }) => name)

  test('answers what its work answers, and leaves nothing of what that did, in transactions of its own either', async () => {
    const committed: string[] = []
    const seen = await rehearse(db, async (rehearsal) => {
      await rehearsal.execute(sql`insert into boats values ('Dinghy')`)
      await rehearsal.transaction(async (tx) => {
        await tx.execute(sql`delete from boats where name = 'Harbour tug'`)
        tx.afterCommit(() => committed.push('told'))
      })
      await rehearsal.script(`insert into boats values ('Barge'); delete from boats where name = 'Barge'`)
      const [row] = await rehearsal.batched(sql`select count(*)::float8 as n from boats`)
      expect(row).toEqual({ n: 1 })
      return names(rehearsal)
    })
    expect(seen).toEqual(['Dinghy'])
    expect(await names(db)).toEqual(['Harbour tug'])
    expect(committed).toEqual([])
  })

  test('throws what its work throws, and leaves nothing then', async () => {
    const refusal = new Error('refused')
    const refused = rehearse(db, async (rehearsal) => {
      await rehearsal.execute(sql`insert into boats values ('Dinghy')`)
      throw refusal
    })
    await expect(refused).rejects.toBe(refusal)
    expect(await names(db)).toEqual(['Harbour tug'])
  })

  test('is refused by a constraint that waits for the commit', async () => {
    const dangling = rehearse(db, (rehearsal) =>
      rehearsal.execute(sql`insert into boats values ('Barge', 'nothing')`),
    )
    await expect(dangling).rejects.toThrow(/boats_tows_fkey/)
  })
})
