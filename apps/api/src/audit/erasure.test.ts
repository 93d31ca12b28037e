import { describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { databaseForTests } from '../../test/database-for-tests.ts'
import { engines } from '../../test/databases.ts'
import { type HashedEntry, plainHashOf } from './entry.ts'
import { eraseMemberFromEntries } from './erase-entries.ts'
import { recordAudit } from './record.ts'
import { deleteOldEntries } from './retention.ts'
import { lockHead } from './store.ts'
import { verifyChain } from './verify-chain.ts'

const mara = { id: '147411382252470273', username: 'mara' }
const ada = { id: '147411382252470999', username: 'ada' }
const client = { ip: '192.0.2.1', requestId: 'request-1' }

const blocked = {
  actor: mara,
  actionType: 'member',
  action: 'member.block',
  target: { type: 'member', id: ada.id, name: ada.username },
  summary: 'ada was blocked.',
  changes: { reason: { before: null, after: 'Sold what was not hers' } },
  client,
} as const

const ofProject = {
  actor: mara,
  actionType: 'project',
  action: 'project.update',
  target: { type: 'project', id: 'p1', name: 'Site' },
  summary: 'The site was changed.',
  changes: { name: { before: 'Old', after: 'Site' } },
  client,
} as const

describe.each(engines)('an audit log that forgets, on %s', (engine) => {
  const db = databaseForTests(engine)

  const record = (...events: Parameters<typeof recordAudit>[1][]) =>
    db.transaction(async (tx) => {
      for (const event of events) await recordAudit(tx, event)
    })
  const erase = (memberId: string) =>
    db.transaction((tx) => eraseMemberFromEntries(tx, recordAudit, { actor: mara, client }, memberId))
  /** Records an entry as versions without commitments did. */
  const recordPlain = (event: Partial<HashedEntry>) =>
    db.transaction(async (tx) => {
      const head = await lockHead(tx)
      const entry: HashedEntry = {
        ...{ seq: head.seq + 1, id: crypto.randomUUID(), at: head.now.toISOString() },
        ...{ actorId: mara.id, actorUsername: mara.username, actionType: 'auth', action: 'admin.login' },
        ...{ severity: 'info', targetType: 'member', targetId: ada.id, targetName: ada.username },
        ...{ summary: 'mara did something to ada.', changes: '{"a":{"before":1,"after":2}}' },
        ...{ ip: '192.0.2.9', requestId: 'request-0' },
        ...event,
      }
      const hash = plainHashOf(head.hash, entry)
      await tx.execute(sql`
        insert into audit_log (seq, id, at, actor_id, actor_username, action_type, action, severity, target_type,
          target_id, target_name, summary, changes, ip, request_id, previous_hash, hash)
        values (${entry.seq}, ${entry.id}, ${entry.at}, ${entry.actorId}, ${entry.actorUsername}, ${entry.actionType},
          ${entry.action}, ${entry.severity}, ${entry.targetType}, ${entry.targetId}, ${entry.targetName},
          ${entry.summary}, ${entry.changes}::json, ${entry.ip}, ${entry.requestId}, ${head.hash}, ${hash})`)
      await tx.execute(sql`update audit_head set seq = ${entry.seq}, hash = ${hash}`)
    })
  /** Returns the whole content of the log as text. */
  const contents = async () =>
    (await db.query<{ row: string }>(sql`select to_json(l)::text as row from audit_log l order by seq`)).map(
      ({ row }) => row,
    )
  /** Runs a statement as the owner of the database could: with the triggers disabled. */
  const tamper = (statement: string) =>
    db.script(`begin; alter table audit_log disable trigger all; ${statement};
      alter table audit_log enable trigger all; commit`)
  /** Undoes afterwards all changes that the callback makes. */
  const undone = async (run: () => Promise<unknown>) => {
    await db.script(
      'create table kept as select * from audit_log; create table kept_start as select * from audit_start',
    )
    await run().finally(async () => {
      await tamper('delete from audit_log; insert into audit_log select * from kept')
      await db.script(`delete from audit_start; insert into audit_start select * from kept_start;
        drop table kept, kept_start`)
    })
  }

  test('entries from before there were commitments verify beside new ones', async () => {
    await recordPlain({})
    await recordPlain({ actorId: null, targetType: null, changes: null })
    await record(blocked, { ...ofProject, actor: ada })
    expect(await verifyChain({ db })).toMatchObject({ entries: 4 })
    await tamper("update audit_log set summary = 'x' where seq = 1")
    expect((await verifyChain({ db })).problem).toMatch(/^Entry 1 .* was changed/)
    await tamper("update audit_log set summary = 'mara did something to ada.' where seq = 1")
  })

  test('erasing takes every value of a member with its salt, leaves what others did, and the chain stays whole', async () => {
    await record({ ...ofProject, summary: 'mara changed the site.' })
    await record({
      actionType: 'auth',
      action: 'audit.export',
      summary: `The audit log was downloaded as csv: actorId ${ada.id}.`,
    })
    await erase(ada.id)
    const rows = await contents()
    for (const row of rows)
      for (const value of [ada.id, '"ada"', ' ada', 'Sold what']) expect(row).not.toContain(value)
    const report = await verifyChain({ db })
    expect(report.problem).toBeUndefined()
    expect(report).toMatchObject({ entries: 7, erased: 5 })
    const [, , third = '', fourth = '', fifth = ''] = rows
    // The log still names the admin who blocked her, and the project that she changed.
    expect(JSON.parse(third)).toMatchObject({
      actor_id: mara.id,
      target_id: null,
      summary: null,
      target_salt: null,
    })
    expect(JSON.parse(fourth)).toMatchObject({ actor_id: null, ip: null, actor_salt: null, target_id: 'p1' })
    expect(JSON.parse(fifth)).toMatchObject({
      actor_id: mara.id,
      target_id: 'p1',
      summary: 'mara changed the site.',
    })
    expect(rows.at(-1)).not.toContain(ada.id)
  })

  test.each([
    [
      'values of an entry without an entry that tells of it',
      'update audit_log set actor_id = null, actor_username = null, ip = null, actor_salt = null where seq = 5',
      'was changed',
    ],
    [
      'more entries than were told of',
      'update audit_log set actor_id = null, actor_username = null, ip = null, actor_salt = null, erased_by = 7 where seq = 5',
      '6 entries refer to it',
    ],
    [
      'entries in the name of one that tells of none',
      'update audit_log set summary = null, summary_salt = null, erased_by = 5 where seq = 6',
      'but records no erasure',
    ],
    [
      'a value alone, and not its salt',
      'update audit_log set actor_username = null, erased_by = 7 where seq = 5',
      'was changed',
    ],
    ['a salt alone', 'update audit_log set actor_salt = null, erased_by = 7 where seq = 5', 'was changed'],
    ['a commitment', "update audit_log set target_commitment = repeat('a', 64) where seq = 3", 'was changed'],
  ])('verification finds who takes away %s', async (_, statement, problem) => {
    await undone(async () => {
      await tamper(statement)
      expect((await verifyChain({ db })).problem).toContain(problem)
    })
    expect((await verifyChain({ db })).problem).toBeUndefined()
  })

  const within = (what: string, statement: string) =>
    db.script(`begin; select set_config('rolecall.audit', '${what}', true); ${statement}; commit`)
  test.each([
    ['erasure', "update audit_log set summary = 'x', erased_by = 7 where seq = 5"],
    ['erasure', "update audit_log set action = 'x', erased_by = 7 where seq = 5"],
    ['erasure', 'update audit_log set actor_id = null, erased_by = 7 where seq = 5'],
    ['erasure', 'update audit_log set summary = null, summary_salt = null where seq = 5'],
    ['erasure', 'delete from audit_log where seq = 1'],
    ['erasure', 'truncate audit_log'],
    ['retention', 'delete from audit_log where seq = 1'],
    ['retention', 'update audit_log set summary = null, summary_salt = null, erased_by = 7 where seq = 5'],
    ['retention', 'truncate audit_log'],
    ['', 'delete from audit_log where false'],
  ])('a transaction that says %j may not `%s`', async (what, statement) => {
    await expect(within(what, statement)).rejects.toThrow('append-only')
    await db.script('rollback')
    expect((await verifyChain({ db })).problem).toBeUndefined()
  })

  test('entries older than the days are let go in steps, once a day, and the rest verifies from its new beginning', async () => {
    const aged = (days: number, seqs: string) =>
      tamper(`update audit_log set at = clock_now() - ${days} * interval '1 day' where seq ${seqs}`)
    const letGo = (days: number) => deleteOldEntries({ db, record: recordAudit }, days)
    const seqs = async () =>
      (await db.query<{ seq: number }>(sql`select seq from audit_log order by seq`)).map(({ seq }) => seq)
    await undone(async () => {
      // One day short of the age: nothing begins anew for a few hours.
      await aged(30.5, '<= 4')
      expect(await letGo(30)).toBe(0)
      await aged(31.5, '<= 4')
      expect(await letGo(36_500)).toBe(0)
      expect(await letGo(30)).toBe(4)
      expect(await letGo(30)).toBe(0)
      expect(await seqs()).toEqual([5, 6, 7, 8])
      expect(await verifyChain({ db })).toMatchObject({ entries: 4, letGo: 4 })
      expect((await verifyChain({ db })).problem).toBeUndefined()
      // A cut that removes more, and moves the beginning, has no entry that records it.
      await db.script(`update audit_start set (seq, hash) = (select seq, hash from audit_log where seq = 5)`)
      expect((await verifyChain({ db })).problem).toContain('begins with entry 6, and no entry records')
      await db.script(
        `update audit_start set (seq, hash) = (select seq - 1, previous_hash from audit_log where seq = 5)`,
      )
      expect((await verifyChain({ db })).problem).toBeUndefined()
      await tamper('delete from audit_log where seq = 5')
      expect((await verifyChain({ db })).problem).toBe('Entry 5 is missing.')
    })
  })
})
