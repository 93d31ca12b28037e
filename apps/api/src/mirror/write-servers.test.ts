import { expect, test } from 'vitest'
import type { Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import { worldForTests } from '../../test/world-for-tests.ts'
import { registerServer } from './write-servers.ts'

// On PostgreSQL only: the embedded engine runs one transaction after the other.
const world = worldForTests('postgres')

const register = (tx: Tx, id: string) => registerServer(tx, { id, name: id, icon: null, isMain: false })

/** The writes of a member that say that they are in a server. */
const writes = {
  joins: (tx: Tx, serverId: string, memberId: string) =>
    tx.execute(sql`insert into memberships (server_id, member_id) values (${serverId}, ${memberId})`),
  returns: (tx: Tx, serverId: string, memberId: string) =>
    tx.execute(sql`
      update memberships set left_at = null where server_id = ${serverId} and member_id = ${memberId}`),
}

/** Starts both transactions; the second one begins after the statement of the first, which commits afterwards. */
async function overlap(first: (tx: Tx) => Promise<unknown>, second: (tx: Tx) => Promise<unknown>) {
  const { db } = world.service.deps
  let later: Promise<unknown> = Promise.resolve()
  await db.transaction(async (tx) => {
    await first(tx)
    const done = new Promise<void>((resolve) => {
      later = db.transaction(second).finally(resolve)
    })
    await Promise.race([done, untilOneWaits(tx)])
  })
  await later
}

/** Resolves as soon as a statement of this database waits for a lock. */
async function untilOneWaits(tx: Tx): Promise<void> {
  const waits = await tx.maybeOne(sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  if (!waits) await new Promise((resolve) => setTimeout(resolve, 5)).then(() => untilOneWaits(tx))
}

test.each([
  ['joins', 'after the server is registered'],
  ['joins', 'before the server is registered'],
  ['returns', 'after the server is registered'],
  ['returns', 'before the server is registered'],
] as const)('lists a member who %s %s again, in an overlapping transaction', async (how, order) => {
  const { db } = world.service.deps
  const [serverId, memberId] = ids()
  await db.execute(sql`insert into servers (id, name, removed_at) values (${serverId}, 'gone', clock_now())`)
  await db.execute(sql`insert into members (id, username) values (${memberId}, 'eve')`)
  if (how === 'returns')
    await db.execute(sql`
      insert into memberships (server_id, member_id, left_at) values (${serverId}, ${memberId}, clock_now())`)
  const write = (tx: Tx) => writes[how](tx, serverId, memberId)
  const registers = (tx: Tx) => register(tx, serverId)
  await (order.startsWith('after') ? overlap(registers, write) : overlap(write, registers))
  const member = await db.maybeOne<{ isCurrent: boolean }>(sql`
    select is_current as "isCurrent" from members where id = ${memberId}`)
  expect(member).toEqual({ isCurrent: true })
})

let last = 0n
/** Returns the IDs of a new server and a new member. */
const ids = (): [string, string] => {
  last += 1n
  return [`${310000000000000000n + last}`, `${710000000000000000n + last}`]
}
