import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '#platform/db/database'
import { openDatabase } from '#platform/db/open-database'
import { sql } from '#platform/db/sql'
import { emptyDatabaseForTests } from '../../test/database-for-tests.ts'
import { engines } from '../../test/databases.ts'
import { notingStatements } from '../../test/statements.ts'
import { recordAudit } from './record.ts'
import { verifyChain } from './verify-chain.ts'

const event = {
  actor: { id: '147411382252470273', username: 'mara' },
  actionType: 'project',
  action: 'project.update',
  target: { type: 'project', id: 'p1', name: 'Site' },
  summary: 'Project Site was changed.',
  changes: { name: { before: 'Old', after: 'Site' } },
  client: { ip: '192.0.2.1', requestId: 'request-1' },
} as const

describe.each(engines)('the chain of the audit log on %s', (engine) => {
  const database = emptyDatabaseForTests(engine)
  let db: Database
  const instances: Database[] = []
  beforeAll(async () => {
    db = notingStatements(await openDatabase(database.url))
    instances.push(db)
    if (engine === 'postgres') instances.push(await openDatabase(database.url))
  })
  afterAll(async () => {
    for (const one of instances) await one.close()
  })

  const record = (on: Database, summary: string) =>
    on.transaction((tx) => recordAudit(tx, { ...event, summary }))
  /** Runs a statement as the owner of the database could: with the trigger disabled. */
  const tamper = (statement: string) =>
    db.script(`begin; alter table audit_log disable trigger all; ${statement};
      alter table audit_log enable trigger all; commit`)

  test('is whole while it is empty', async () => {
    expect(await verifyChain({ db })).toEqual({ entries: 0, hash: '0'.repeat(64) })
  })

  test('50 writers at once leave one unbroken chain', async () => {
    const writers = Array.from({ length: 50 }, (_, i) =>
      record(instances[i % instances.length] as Database, `Writer ${i}`),
    )
    await Promise.all(writers)
    expect(await verifyChain({ db })).toMatchObject({ entries: 50 })
    const rows = await db.query<{ n: number }>(sql`select count(distinct summary) as n from audit_log`)
    expect(rows).toEqual([{ n: 50 }])
  })

  test('a rolled-back change leaves no entry and no gap', async () => {
    const change = db.transaction(async (tx) => {
      await recordAudit(tx, event)
      throw new Error('changed its mind')
    })
    await expect(change).rejects.toThrow('changed its mind')
    await record(db, 'After')
    expect(await verifyChain({ db })).toMatchObject({ entries: 51 })
  })

  test.each([
    ["at = at + interval '1 millisecond'", 'was changed'],
    ['id = gen_random_uuid()', 'was changed'],
    ["actor_id = '1'", 'was changed'],
    ['actor_id = null', 'was changed'],
    ["actor_username = 'eve'", 'was changed'],
    ["action_type = 'auth'", 'was changed'],
    ["action = 'project.delete'", 'was changed'],
    ["severity = 'error'", 'was changed'],
    ["target_type = 'server'", 'was changed'],
    ["target_id = 'p2'", 'was changed'],
    ["target_name = 'Other'", 'was changed'],
    ["summary = summary || ' '", 'was changed'],
    ['changes = null', 'was changed'],
    [`changes = '{"name":{"before":"Old","after":"site"}}'`, 'was changed'],
    [`changes = '{"name": {"before":"Old","after":"Site"}}'`, 'was changed'],
    ["ip = '192.0.2.2'", 'was changed'],
    ["request_id = ''", 'was changed'],
    ["hash = repeat('a', 64)", 'was changed'],
    ["previous_hash = repeat('a', 64)", 'does not follow'],
  ])('finds entry 20 when someone sets %s', async (assignment, problem) => {
    await db.script('create table kept as select * from audit_log where seq = 20')
    await tamper(`update audit_log set ${assignment} where seq = 20`)
    const report = await verifyChain({ db })
    expect(report.entries).toBe(19)
    expect(report.problem).toMatch(/^Entry 20 /)
    expect(report.problem).toContain(problem)
    await tamper('delete from audit_log where seq = 20; insert into audit_log select * from kept')
    await db.script('drop table kept')
    expect((await verifyChain({ db })).problem).toBeUndefined()
  })

  test.each([
    ['an entry taken out', 'delete from audit_log where seq = 20', 'Entry 20 is missing.'],
    ['the first entry taken out', 'delete from audit_log where seq = 1', 'Entry 1 is missing.'],
    ['entries cut off the end', 'delete from audit_log where seq > 40', 'Entry 41 is missing'],
    ['all entries taken out', 'delete from audit_log', 'Entry 1 is missing'],
    ['a head moved back', 'update audit_head set seq = 50', 'Entry 51 lies beyond the head'],
    ['another head', "update audit_head set hash = repeat('b', 64)", 'does not match the last entry'],
    ['no head', 'delete from audit_head', 'The head of the chain is missing.'],
    [
      'two entries in each other’s place',
      'update audit_log set seq = -20 where seq = 20; update audit_log set seq = 20 where seq = 21; update audit_log set seq = 21 where seq = -20',
      'Entry 20 ',
    ],
  ])('finds %s', async (_, statement, problem) => {
    await db.script(
      'create table kept as select * from audit_log; create table kept_head as select * from audit_head',
    )
    await tamper(statement)
    expect((await verifyChain({ db })).problem).toContain(problem)
    await tamper('delete from audit_log; insert into audit_log select * from kept')
    await db.script(
      'delete from audit_head; insert into audit_head select * from kept_head; drop table kept, kept_head',
    )
    expect((await verifyChain({ db })).problem).toBeUndefined()
  })

  test('a walk goes on over many pages and tells how far it is', async () => {
    await db.transaction(async (tx) => {
      for (let i = 0; i < 1_000; i++) await recordAudit(tx, event)
    })
    const seen: number[] = []
    const report = await verifyChain({ db }, (entries) => seen.push(entries))
    expect(report).toMatchObject({ entries: 1_051 })
    expect(report.problem).toBeUndefined()
    expect(seen).toEqual([1_000, 1_051])
  })
})
