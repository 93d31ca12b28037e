import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { createLog } from '#platform/log'
import { databaseForTests } from '../../test/database-for-tests.ts'
import { engines } from '../../test/databases.ts'
import { type ChainVerifier, createChainVerifier } from './chain-verifier.ts'
import { recordAudit } from './record.ts'
import { deleteOldEntries } from './retention.ts'

const event = { actionType: 'project', action: 'project.update', summary: 'It was changed.' } as const

describe.each(engines)('the steady check of the audit log on %s', (engine) => {
  const db = databaseForTests(engine)
  let verifier: ChainVerifier
  beforeAll(async () => {
    verifier = createChainVerifier({ db, log: createLog('silent') })
  })
  afterAll(async () => {
    await verifier.close()
  })

  const record = (count: number) =>
    db.transaction((tx) =>
      recordAudit(
        tx,
        Array.from({ length: count }, () => event),
      ),
    )
  const tamper = (statement: string) =>
    db.script(`begin; alter table audit_log disable trigger all; ${statement};
      alter table audit_log enable trigger all; commit`)
  const walk = async () => {
    let steps = 1
    while (await verifier.step()) steps += 1
    return steps
  }
  const beginAnew = () => db.execute(sql`update audit_verification set started_at = null`)

  test('says that nothing was checked, then how far it is, then that all is as it was written', async () => {
    expect(await verifier.state()).toMatchObject({ status: 'unchecked', entries: 0, verifiedAt: null })
    await record(1_200)
    expect(await verifier.step()).toBe(true)
    expect(await verifier.state()).toMatchObject({ status: 'checking', entries: 1_200, checked: 500 })
    // Another process continues from the step that the first one reached.
    verifier = createChainVerifier({ db, log: createLog('silent') })
    expect(await walk()).toBe(2)
    expect(await verifier.state()).toMatchObject({
      status: 'verified',
      checked: 1_200,
      problem: null,
      mend: null,
    })
  })

  test('reads only what is new from then on', async () => {
    await record(3)
    expect(await walk()).toBe(1)
    expect(await verifier.state()).toMatchObject({ status: 'verified', entries: 1_203, checked: 1_203 })
  })

  test('goes on while entries are let go, and when those it stood before are gone', async () => {
    await tamper("update audit_log set at = clock_now() - interval '100 days' where seq <= 700")
    await deleteOldEntries({ db, record: recordAudit }, 90)
    // The times of the deleted entries are part of their hashes: a check from the start finds a log that begins
    // later.
    await beginAnew()
    await walk()
    expect(await verifier.state()).toMatchObject({
      status: 'verified',
      letGo: 700,
      entries: 504,
      checked: 504,
    })
  })

  test.each([
    ["update audit_log set summary = 'Another' where seq = 900", /Entry 900 .* was changed/],
    ['delete from audit_log where seq > 1190', /is missing: the head of the chain is entry/],
  ])('finds %s, stays with it, and finds it once more from the start', async (statement, problem) => {
    await db.script('begin')
    await db.script('rollback')
    await tamper(`create table kept as select * from audit_log; ${statement}`)
    await beginAnew()
    await walk()
    const broken = await verifier.state()
    expect(broken).toMatchObject({ status: 'broken', mend: expect.stringContaining('audit verify') })
    expect(broken.problem).toMatch(problem)
    expect(await walk()).toBe(1)
    await beginAnew()
    expect(await walk()).toBeGreaterThan(0)
    expect((await verifier.state()).problem).toMatch(problem)
    await tamper('delete from audit_log; insert into audit_log select * from kept; drop table kept')
    await beginAnew()
    await walk()
    expect(await verifier.state()).toMatchObject({ status: 'verified', problem: null, problemAt: null })
  })

  test('checks new entries when its state is read, long before the next minute', async () => {
    await beginAnew()
    verifier.start()
    await record(2)
    await expect.poll(verifier.state, { timeout: 10_000 }).toMatchObject({ status: 'verified' })
    await record(2)
    const { entries } = await verifier.state()
    await expect.poll(verifier.state, { timeout: 10_000 }).toMatchObject({ entries, checked: entries })
  })
})
