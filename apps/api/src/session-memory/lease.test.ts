import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/databases.ts'
import type { Database } from '../platform/db/database.ts'
import { openDatabase } from '../platform/db/open-database.ts'
import { sql } from '../platform/db/sql.ts'
import { createLog } from '../platform/log.ts'
import { type Answers, type AnswersOptions, createAnswers } from './answers.ts'
import { deleteOverdueLease, trimChanges } from './change-log-store.ts'
import { leaseTiming } from './lease.ts'

const seldom = { ...leaseTiming, renewEveryMs: 1_000_000 }
const short = { renewEveryMs: 20, leaseMs: 400, driftMs: 20 }

describe('a lease for answers from memory', () => {
  let database: TestDatabase
  let db: Database
  const started: Answers[] = []
  beforeEach(async () => {
    database = await createDatabase('postgres')
    db = await openDatabase(database.url)
  })
  afterEach(async () => {
    await Promise.all(started.splice(0).map((one) => one.close()))
    await db.close()
    await database.drop()
  })

  const create = (options: AnswersOptions, of: Database = db) =>
    createAnswers(
      { db: of, log: createLog('silent'), maxBytes: 1_000_000, configuredServerId: undefined },
      options,
    )
  const begin = async (options: AnswersOptions, of: Database = db) => {
    const answers = create(options, of)
    started.push(answers)
    answers.start()
    await expect.poll(() => answers.isLeased()).toBe(true)
    return answers
  }
  const dedicated = (one: Database, ...terms: Parameters<NonNullable<Database['dedicate']>>) => {
    if (!one.dedicate) throw new Error('The embedded database has no connections.')
    return one.dedicate(...terms)
  }
  /** Returns the database with a connection of the lease that shows each statement before it is sent. */
  const observed = (sees: (text: string) => void): Database => ({
    ...db,
    dedicate: async (...terms) => {
      const connection = await dedicated(db, ...terms)
      const rows: typeof connection.rows = (statement) => {
        sees(statement.text)
        return connection.rows(statement)
      }
      return { ...connection, rows }
    },
  })
  /** Two clocks that a test moves. */
  const handMoved = () => {
    const at = { monotonicMs: 5_000, wallMs: 1_000_000 }
    return { at, clock: { monotonicMs: () => at.monotonicMs, wallMs: () => at.wallMs } }
  }
  const rows = () =>
    db.query<{ id: string; renewals: number }>(sql`
      select id::text, renewals from answer_leases where id <> '00000000-0000-0000-0000-000000000000'`)
  const change = () =>
    db.execute(sql`insert into session_changes (kind, fact) values ('session', 'nobody has it')`)
  const msOf = async (run: () => Promise<unknown>) => {
    const startedAt = performance.now()
    await run()
    return performance.now() - startedAt
  }

  test('ends by itself, a little before others stop waiting for it', async () => {
    const { at, clock } = handMoved()
    const answers = await begin({ clock, timing: seldom })
    at.monotonicMs += leaseTiming.leaseMs - leaseTiming.driftMs - 1
    expect(answers.isLeased()).toBe(true)
    at.monotonicMs += 1
    expect(answers.isLeased()).toBe(false)
  })

  test('ends when only the wall clock went on, as in a virtual machine that was suspended', async () => {
    const { at, clock } = handMoved()
    const answers = await begin({ clock, timing: seldom })
    at.wallMs += leaseTiming.leaseMs
    expect(answers.isLeased()).toBe(false)
  })

  test('is as good as before once it is renewed', async () => {
    const { at, clock } = handMoved()
    const answers = await begin({ clock, timing: { ...leaseTiming, renewEveryMs: 20 } })
    at.monotonicMs += 10_000
    expect(answers.isLeased()).toBe(false)
    await expect.poll(() => answers.isLeased()).toBe(true)
  })

  test('counts from before the renewal was sent: an answer that comes too late renews nothing', async () => {
    // Each time that the clock is read it is as much later as a lease is long.
    let ms = 0
    const clock = { monotonicMs: () => (ms += leaseTiming.leaseMs), wallMs: () => 0 }
    const answers = create({ clock, timing: { ...leaseTiming, renewEveryMs: 5 } })
    started.push(answers)
    answers.start()
    await expect.poll(async () => (await rows())[0]?.renewals ?? 0).toBeGreaterThan(5)
    expect(answers.isLeased()).toBe(false)
  })

  test('counts from before its row was written, on both clocks, however long the answer takes', async () => {
    const { at, clock } = handMoved()
    let sentAt: typeof at | undefined
    const slow = observed((text) => {
      if (text.includes('insert into answer_leases')) sentAt = { ...at }
      at.monotonicMs += 200
      at.wallMs += 200
    })
    const answers = await begin({ clock, timing: seldom }, slow)
    /** Returns true if the lease is valid so long after the statement was sent that wrote its row. */
    const isGoodAfter = (monotonicMs: number, wallMs: number) => {
      if (!sentAt) return false
      const now = { ...at }
      Object.assign(at, { monotonicMs: sentAt.monotonicMs + monotonicMs, wallMs: sentAt.wallMs + wallMs })
      const isGood = answers.isLeased()
      Object.assign(at, now)
      return isGood
    }
    const lasts = leaseTiming.leaseMs - leaseTiming.driftMs
    await expect.poll(() => isGoodAfter(lasts - 1, lasts - 1)).toBe(true)
    expect(isGoodAfter(lasts, lasts - 1)).toBe(false)
    expect(isGoodAfter(lasts - 1, lasts)).toBe(false)
  })

  test('counts from the renewal before the last, because the last may commit after its read', async () => {
    const { at, clock } = handMoved()
    const joinedAtMs = at.monotonicMs
    const lasts = leaseTiming.leaseMs - leaseTiming.driftMs
    let answers: Answers | undefined
    let renewals = 0
    const isGoodAfter: boolean[] = []
    // The first three renewals are sent 300 ms after each other, the first of them in the moment of joining.
    const slow = observed((text) => {
      if (!text.includes('renewals = renewals + 1')) return
      renewals += 1
      if (renewals === 3) {
        for (const ms of [lasts - 1, lasts]) {
          at.monotonicMs = joinedAtMs + ms
          isGoodAfter.push(answers?.isLeased() ?? false)
        }
        at.monotonicMs = joinedAtMs + 600
      }
      if (renewals < 3) at.monotonicMs += 300
    })
    answers = create({ clock, timing: { ...leaseTiming, renewEveryMs: 20 } }, slow)
    started.push(answers)
    answers.start()
    await expect.poll(() => isGoodAfter).toEqual([true, false])
  })

  test('that was taken away cannot be renewed: its holder joins anew', async () => {
    const answers = await begin({ timing: short })
    const [before] = await rows()
    await db.execute(sql`delete from answer_leases where id = ${before?.id}`)
    await expect.poll(async () => (await rows()).map(({ id }) => id)).toHaveLength(1)
    expect((await rows())[0]?.id).not.toBe(before?.id)
    await expect.poll(() => answers.isLeased()).toBe(true)
  })

  test('is lost with its connection, and taken again at once, without leaving a row behind', async () => {
    const answers = await begin({ timing: short })
    const [before] = await rows()
    await db.query(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like '%answer_leases%' and pid <> pg_backend_pid()`)
    await expect.poll(async () => (await rows())[0]?.id).not.toBe(before?.id)
    await expect.poll(() => answers.isLeased()).toBe(true)
    expect(await rows()).toHaveLength(1)
  })

  test('that is not renewed is waited for once, until it expires, and is then deleted', async () => {
    const answers = await begin({ timing: short })
    await db.execute(sql`insert into answer_leases (id) values (gen_random_uuid())`)
    await change()
    const firstMs = await msOf(() => answers.confirm())
    expect(firstMs).toBeLessThan(short.leaseMs + 2_500)
    await expect.poll(rows).toHaveLength(1)
  })

  test('of a process that does not acknowledge is waited for until it expires', async () => {
    await db.execute(sql`insert into answer_leases (id) values (gen_random_uuid())`)
    await change()
    // Confirmed as in a command, which has no lease of its own.
    const ms = await msOf(() => create({ timing: short }).confirm())
    expect(ms).toBeGreaterThanOrEqual(short.leaseMs - 1)
  })

  test('is not waited for when nothing was changed', async () => {
    await db.execute(sql`insert into answer_leases (id) values (gen_random_uuid())`)
    const timing = { ...leaseTiming, leaseMs: 60_000 }
    expect(await msOf(() => create({ timing }).confirm())).toBeLessThan(5_000)
  })

  test('is acknowledged within milliseconds, and without an invalidation at the next renewal', async () => {
    const timing = { renewEveryMs: 300, leaseMs: 60_000, driftMs: 100 }
    for (const deliver of [undefined, () => {}] as const) {
      const holder = await begin({ timing, ...(deliver && { deliver }) })
      await change()
      expect(await msOf(() => create({ timing }).confirm())).toBeLessThan(20_000)
      await holder.close()
    }
  })

  test('is acknowledged by what the invalidation carried, without a read', async () => {
    const timing = { ...seldom, leaseMs: 60_000 }
    const statements: string[] = []
    await begin(
      { timing },
      observed((text) => statements.push(text)),
    )
    const writer = await begin({ timing })
    await writer.confirm()
    statements.length = 0
    for (let i = 0; i < 5; i++) {
      await change()
      await writer.confirm()
    }
    expect(statements.filter((text) => text.includes('answer_leases set acknowledged'))).not.toEqual([])
    expect(statements.filter((text) => text.includes('from session_changes'))).toEqual([])
  })

  test('is read for when there is more to hear than a notification carries', async () => {
    const timing = { ...seldom, leaseMs: 60_000 }
    await begin({ timing })
    const writer = await begin({ timing })
    await db.execute(sql`
      insert into session_changes (kind, fact) select 'session', repeat('x', 100) || n from generate_series(1, 500) n`)
    expect(await msOf(() => writer.confirm())).toBeLessThan(20_000)
  })

  // A crash empties a table that is not logged.
  test('that a crash has taken from the database is waited for all the same, once', async () => {
    const answers = create({ timing: short })
    await db.execute(sql`truncate answer_leases`)
    await change()
    expect(await msOf(() => answers.confirm())).toBeGreaterThanOrEqual(short.leaseMs - 1)
    const other = await begin({ timing: short })
    const isSettled = async () =>
      (await db.maybeOne(sql`
        select from answer_leases where id = '00000000-0000-0000-0000-000000000000' and renewals = 1`)) !==
      undefined
    await expect.poll(isSettled).toBe(true)
    // A busy machine renews so short a lease late.
    await expect.poll(() => other.isLeased()).toBe(true)
  })

  test('is waited for no longer than it lasts, also if the database does not answer', async () => {
    const hung: Database = { ...db, batched: () => new Promise(() => {}) }
    expect(await msOf(() => create({ timing: short }, hung).confirm())).toBeGreaterThanOrEqual(
      short.leaseMs - 1,
    )
  })

  test('is waited for until it ends if the database reports an error instead of the leases', async () => {
    const failing: Database = { ...db, batched: () => Promise.reject(new Error('refused')) }
    expect(await msOf(() => create({ timing: short }, failing).confirm())).toBeGreaterThanOrEqual(
      short.leaseMs - 1,
    )
  })

  test('that was renewed since it seemed overdue is not deleted', async () => {
    await db.execute(sql`insert into answer_leases (id, renewals) values (gen_random_uuid(), 5)`)
    const [lease = { id: '' }] = await rows()
    await deleteOverdueLease(db.query, { id: lease.id, renewals: 4 })
    expect(await rows()).toHaveLength(1)
    await deleteOverdueLease(db.query, { id: lease.id, renewals: 5 })
    expect(await rows()).toEqual([])
  })

  test('ends when its connection leads to another database server', async () => {
    let isOther = false
    const moved: Database = {
      ...db,
      dedicate: async (...terms) => {
        const connection = await dedicated(db, ...terms)
        const read: typeof connection.rows = async (statement) => {
          const found = await connection.rows<{ kind?: number }>(statement)
          return found.map((row) => (isOther && row.kind === 0 ? { ...row, b: 'another' } : row)) as never
        }
        return { ...connection, rows: read }
      },
    }
    await begin({ timing: { ...leaseTiming, renewEveryMs: 20 } }, moved)
    const [before] = await rows()
    isOther = true
    await expect.poll(async () => (await rows())[0]?.id).not.toBe(before?.id)
  })

  test('is held while each statement takes a third of it', async () => {
    const slow: Database = {
      ...db,
      dedicate: async (...terms) => {
        const connection = await dedicated(db, ...terms)
        const rows: typeof connection.rows = async (statement) => {
          const found = await connection.rows(statement)
          await sleep(750)
          return found as never
        }
        return { ...connection, rows }
      },
    }
    await begin({}, slow)
  })

  test('does not keep a process that stops while its connection is being made', async () => {
    const answers = create({})
    answers.start()
    await answers.close()
    expect(await rows()).toEqual([])
  })

  test('a process that has stopped is not waited for', async () => {
    const answers = await begin({ timing: leaseTiming })
    await answers.close()
    expect(answers.isLeased()).toBe(false)
    expect(await rows()).toEqual([])
  })

  test('is deleted if its holder may not have read the trimmed part of the log', async () => {
    await begin({ timing: seldom })
    const [before] = await rows()
    await change()
    const [{ horizon } = { horizon: '' }] = await db.query<{ horizon: string }>(sql`
      select pg_snapshot_xmax(pg_current_snapshot())::text as horizon`)
    await trimChanges(db, horizon)
    expect((await rows()).map(({ id }) => id)).not.toContain(before?.id)
  })

  test('is deleted if a transaction that its holder has not seen ended is trimmed', async () => {
    await db.execute(sql`
      insert into answer_leases (id, acknowledged) values (gen_random_uuid(), '100:200:100')`)
    await trimChanges(db, '100')
    expect(await rows()).toHaveLength(1)
    await trimChanges(db, '101')
    expect(await rows()).toEqual([])
  })
})
