import { demo } from '@rolecall/chat-sim'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { mainEngines } from '../../../test/databases.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import type { Database } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { listMembers } from './list-members.ts'
import { exportedIds } from './pages-store.ts'

/** More members than the offset from which pages are read along the name index. */
const people = 2_600
const servers = [demo.mainGuildId, demo.gamesGuildId, '300000000000000003', '300000000000000004']
const [, , , removed = ''] = servers
const roles = ['400000000000000001', '400000000000000002', '400000000000000003', '499999999999999999']
/** More roles than an index entry has room for. */
const manyRoles = Array.from({ length: 250 }, (_, i) => `${510000000000000000n + BigInt(i)}`)

interface Person {
  readonly id: string
  readonly name: string
  readonly memberships: readonly { readonly serverId: string; readonly roles: readonly string[] }[]
}

describe.each(mainEngines)('deep pages on %s', (engine) => {
  const world = worldForTests(engine)
  let known: Person[]
  beforeAll(async () => {
    const { db } = world.service.deps
    const seeded = fc.sample(memberships, { numRuns: people, seed: 25 })
    known = seeded.map((held, i) => ({ id: idOf(i), name: nameOf(i), memberships: held }))
    await db.execute(sql`
      insert into servers (id, name) select id, id from unnest(${servers}::text[]) as v (id) on conflict do nothing`)
    await write(db, known)
    await db.execute(sql`update servers set removed_at = clock_now() where id = ${removed}`)
    await churn(db, known)
    // As a sync of a server with thousands of members does.
    await db.analyze('members', 'memberships', 'roles')
  })

  const filters = fc.record(
    {
      filter: fc.constantFrom('club' as const, 'all' as const),
      serverId: fc.uniqueArray(fc.constantFrom(...servers), { maxLength: 3 }),
      roleId: fc.uniqueArray(fc.constantFrom(...roles, manyRoles[200] ?? ''), { maxLength: 3 }),
      search: fc.constantFrom('', 'e', 'erson', 'b', '1'),
    },
    { requiredKeys: [] },
  )
  type Filters = typeof filters extends fc.Arbitrary<infer T> ? T : never

  /** Returns the members that match the filters by definition, in the order of the list. */
  const expected = ({ filter, serverId = [], roleId = [], search = '' }: Filters) =>
    known
      .map((one) => ({ ...one, memberships: one.memberships.filter((held) => held.serverId !== removed) }))
      .filter(
        ({ memberships, name }) =>
          memberships.length > 0 &&
          (filter !== 'club' || memberships.some((one) => one.serverId === demo.mainGuildId)) &&
          (serverId.length === 0 || memberships.some((one) => serverId.includes(one.serverId))) &&
          (roleId.length === 0 || memberships.some((one) => one.roles.some((id) => roleId.includes(id)))) &&
          name.includes(search),
      )
      .sort((a, b) => (a.name === b.name ? (a.id < b.id ? -1 : 1) : a.name < b.name ? -1 : 1))
      .map(({ id }) => id)

  test('each page is its slice of the whole list, with any filters, from either end and beyond', async () => {
    const { db } = world.service.deps
    const place = fc.record({
      offset: fc.integer({ min: 0, max: people }),
      limit: fc.integer({ min: 1, max: 100 }),
    })
    await fc.assert(
      fc.asyncProperty(filters, place, async (wanted, { offset, limit }) => {
        const all = expected(wanted)
        for (const from of [offset, 2_000, Math.max(2_000, all.length - limit)]) {
          const page = Math.ceil(from / limit) + 1
          const found = await listMembers({ db }, { ...wanted, page, limit })
          expect(found.total).toBe(all.length)
          expect(found.data.map(({ memberId }) => memberId)).toEqual(
            all.slice((page - 1) * limit, page * limit),
          )
        }
      }),
      { numRuns: 25 },
    )
  })

  test('a file holds the same members in the same order', async () => {
    const { db } = world.service.deps
    await fc.assert(
      fc.asyncProperty(filters, async (wanted) => {
        const rows = await db.query<{ id: string }>(exportedIds(wanted))
        expect(rows.map(({ id }) => id)).toEqual(expected(wanted))
      }),
      { numRuns: 20 },
    )
  })
})

describe('on postgres, where two write at once,', () => {
  const world = worldForTests('postgres')

  test('a membership that begins while its member is renamed is in the list under the new name', async () => {
    const { db } = world.service.deps
    const id = idOf(people)
    await db.execute(sql`insert into members (id, username) values (${id}, 'zz before')`)
    const waiting = () =>
      db.query(sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%into memberships%'`)
    const joined = await db.transaction(async (tx) => {
      await tx.execute(sql`update members set username = 'zz after' where id = ${id}`)
      const insert = db.execute(
        sql`insert into memberships (server_id, member_id, search_text)
          select ${demo.mainGuildId}, id, search_text from members where id = ${id}`,
      )
      await expect.poll(async () => (await waiting()).length).toBe(1)
      return { insert }
    })
    await joined.insert
    const names = await db.query(sql`
        select m.search_text, u.search_text = m.search_text as same
        from memberships m join members u on u.id = m.member_id where u.id = ${id}`)
    expect(names).toEqual([{ search_text: 'zz after\n', same: true }])
  })
})

const idOf = (i: number) => `${600000000000000000n + BigInt(i)}`
const nameOf = (i: number) => `${'abcdefgh'[(i * 7) % 8]}person${(i * 7919) % 1_300}`

/** Nearly every member is in the main server; roles may be held in any server. */
const memberships = fc
  .record({
    isInMain: fc.integer({ min: 0, max: 19 }),
    others: fc.uniqueArray(fc.constantFrom(...servers.slice(1)), { maxLength: 2 }),
    held: fc.array(fc.uniqueArray(fc.constantFrom(...roles.slice(0, 3)), { maxLength: 3 }), {
      minLength: 3,
      maxLength: 3,
    }),
    holdsMany: fc.integer({ min: 0, max: 49 }),
  })
  .map(({ isInMain, others, held, holdsMany }) =>
    [...(isInMain > 0 ? [demo.mainGuildId] : []), ...others].map((serverId, i) => ({
      serverId,
      roles: [
        ...(i === 0 && isInMain < 19 ? roles.slice(0, 1) : (held[i] ?? [])),
        ...(holdsMany === 0 ? manyRoles : []),
      ],
    })),
  )

async function write(db: Database, people: readonly Person[]) {
  await db.execute(sql`
    insert into members (id, username)
    select * from unnest(${people.map(({ id }) => id)}::text[], ${people.map(({ name }) => name)}::text[])`)
  const rows = people.flatMap(({ id, memberships }) => memberships.map((held) => ({ id, ...held })))
  for (let at = 0; at < rows.length; at += 1_000) {
    const some = rows.slice(at, at + 1_000)
    await db.execute(sql`
      insert into memberships (server_id, member_id, role_ids)
      select x.server_id, x.member_id, x.role_ids::text[]
      from unnest(${some.map(({ serverId }) => serverId)}::text[], ${some.map(({ id }) => id)}::text[],
        ${some.map(({ roles }) => `{${roles.join(',')}}`)}::text[]) as x (server_id, member_id, role_ids)`)
  }
}

/**
 * Renames some members, removes a role, lets some leave, and lets some return under another name: in the lists and
 * here.
 */
async function churn(db: Database, people: Person[]) {
  for (let i = 0; i < people.length; i += 40) {
    const { id, memberships } = people[i] as Person
    const name = `gperson renamed ${i % 7}`
    const [first, ...rest] = memberships
    if (i % 80 === 0) {
      await db.execute(sql`update memberships set left_at = clock_now() where member_id = ${id}`)
    }
    await db.execute(sql`update members set username = ${name} where id = ${id}`)
    if (i % 80 === 0) await db.execute(sql`update memberships set left_at = null where member_id = ${id}`)
    if (first && i % 3 === 0) {
      await db.execute(sql`
        update memberships set left_at = clock_now() where member_id = ${id} and server_id = ${first.serverId}`)
    } else if (first) {
      await db.execute(sql`
        update memberships set role_ids = '{}' where member_id = ${id} and server_id = ${first.serverId}`)
    }
    people[i] = {
      id,
      name,
      memberships: first && i % 3 !== 0 ? [{ ...first, roles: [] }, ...rest] : rest,
    }
  }
}
