import { demo } from '@rolecall/chat-sim'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const server = demo.mainGuildId
const { crew, captain } = demo.roles
const ids = Array.from({ length: 250 }, (_, i) => String(99_999_999_999_999_000n + BigInt(i)))
const [one = '', two = '', three = ''] = ids

interface Page {
  readonly data: readonly {
    readonly memberId: string
    readonly username: string
    readonly roles: unknown[]
  }[]
  readonly nextCursor: string | null
  readonly changeCursor: string
  readonly removed: readonly { readonly memberId: string; readonly leftAt: string }[]
  readonly roles?: readonly { readonly roleId: string; readonly roleName: string }[]
  readonly hasMore: boolean
}

describe.each(ciEngines)('GET /api/servers/{serverId}/members?changedSince on %s', (engine) => {
  const world = worldForTests(engine, { RATE_LIMIT_GLOBAL: '0' })
  let cursor: string
  const project = projectForTests(world)
  beforeAll(async () => {
    await run(
      sql`insert into members (id, username) select id, 'bulk ' || id from unnest(${ids}::text[]) as q (id)`,
    )
    await run(sql`
      insert into memberships (server_id, member_id, role_ids)
      select ${server}, id, ${[crew]}::text[] from unnest(${ids}::text[]) as q (id)`)
  })
  beforeEach(async () => {
    cursor = await begin()
  })

  const run = (statement: ReturnType<typeof sql>) => world.service.deps.db.execute(statement)
  const ask = (query: string, key = project.key) =>
    call(world.url, 'GET', `/api/servers/${server}/members?${query}`, { key })
  const begin = async (): Promise<string> => (await ask('limit=1')).body.changeCursor
  const changes = async (since: string, limit = 100): Promise<Page> => {
    const reply = await ask(`changedSince=${since}&limit=${limit}`)
    expect(reply.status, reply.text).toBe(200)
    return reply.body
  }
  const idsOf = ({ data }: Page) => data.map(({ memberId }) => memberId)
  const setRoles = (memberId: string, roleIds: string[]) =>
    run(sql`update memberships set role_ids = ${roleIds}::text[] where member_id = ${memberId}`)

  test('tells nothing while nothing changed, and what was only confirmed is no change', async () => {
    await run(sql`update memberships set synced_at = clock_now()`)
    const page = await changes(cursor)
    expect(page).toMatchObject({ data: [], removed: [], hasMore: false, nextCursor: null })
    expect(page.roles).toBeUndefined()
  })

  test('tells who changed with what they are now, who left, and who came', async () => {
    await setRoles(one, [captain])
    await run(sql`update members set avatar = 'new' where id = ${two}`)
    await run(sql`update memberships set left_at = clock_now() where member_id = ${three}`)
    const page = await changes(cursor)
    expect(idsOf(page).sort()).toEqual([one, two])
    expect(page.data.find(({ memberId }) => memberId === one)?.roles).toMatchObject([{ roleId: captain }])
    expect(page.removed).toEqual([{ memberId: three, leftAt: expect.any(String) }])
    expect(await changes(page.changeCursor)).toMatchObject({ data: [], removed: [] })
    await run(sql`update memberships set left_at = null where member_id = ${three}`)
    expect(idsOf(await changes(page.changeCursor))).toEqual([three])
  })

  test('tells a rename, also one of letters alone', async () => {
    await run(sql`update members set username = 'Bulk' where id = ${one}`)
    const page = await changes(cursor)
    expect(page.data).toMatchObject([{ memberId: one, username: 'Bulk' }])
    await run(sql`update members set username = 'bulk' where id = ${one}`)
    expect((await changes(page.changeCursor)).data).toMatchObject([{ memberId: one, username: 'bulk' }])
  })

  test('tells all roles when one of them was renamed, made or deleted, and not again', async () => {
    for (const change of [
      sql`update roles set name = 'Deckhand' where server_id = ${server} and id = ${crew}`,
      sql`insert into roles (server_id, id, name) values (${server}, '1100093797636898999', 'New')`,
      sql`delete from roles where server_id = ${server} and id = '1100093797636898999'`,
    ]) {
      await run(change)
      const page = await changes(cursor)
      expect(page.roles?.find(({ roleId }) => roleId === crew)?.roleName).toBe('Deckhand')
      cursor = page.changeCursor
      expect((await changes(cursor)).roles).toBeUndefined()
    }
  })

  test('goes on page by page through what one transaction changed, without gaps or repeats', async () => {
    await run(sql`update memberships set nick = 'all' where member_id = any(${ids}::text[])`)
    const seen: string[] = []
    let page: Page
    do {
      page = await changes(cursor, 7)
      seen.push(...idsOf(page))
      cursor = page.changeCursor
    } while (page.hasMore)
    expect(seen.toSorted()).toEqual(ids)
  })

  test('what changes between two pages is told by the next look, and is not lost', async () => {
    await run(sql`update memberships set nick = 'one' where member_id = any(${ids}::text[])`)
    const first = await changes(cursor, 100)
    const [told = ''] = idsOf(first)
    await run(sql`update memberships set nick = 'two' where member_id = ${told}`)
    const rest = await changes((await changes(first.changeCursor, 100)).changeCursor, 100)
    expect(rest.hasMore).toBe(false)
    expect(idsOf(await changes(rest.changeCursor))).toEqual([told])
  })

  test('410 for a cursor that the database has not come to, 400 for what is none', async () => {
    expect((await ask('changedSince=999999999999999999')).body.code).toBe('CURSOR_UNKNOWN')
    for (const wrong of [
      'changedSince=',
      'changedSince=x',
      'changedSince=3_4',
      `changedSince=${cursor}&cursor=${one}`,
    ])
      expect((await ask(wrong)).status).toBe(400)
  })
})

// The embedded engine has one connection, which a transaction in progress occupies.
describe('the feed of changes, with transactions at the same time', () => {
  const world = worldForTests('postgres', { RATE_LIMIT_GLOBAL: '0' })
  const project = projectForTests(world)

  test('passes by nothing that commits late, and does not wait for it', async () => {
    const { db } = world.service.deps
    const path = `/api/servers/${server}/members`
    const ask = async (query: string): Promise<Page> =>
      (await call(world.url, 'GET', `${path}?${query}`, { key: project.key })).body
    for (const id of [one, two]) {
      await db.execute(sql`insert into members (id, username) values (${id}, 'x')`)
      await db.execute(sql`insert into memberships (server_id, member_id) values (${server}, ${id})`)
    }
    let cursor = (await ask('limit=1')).changeCursor
    const seen: string[] = []
    const read = async () => {
      const page = await ask(`changedSince=${cursor}`)
      seen.push(...page.data.map(({ memberId }) => memberId))
      cursor = page.changeCursor
    }
    await db.transaction(async (tx) => {
      await tx.execute(sql`update memberships set nick = 'late' where member_id = ${one}`)
      await db.execute(sql`update memberships set nick = 'early' where member_id = ${two}`)
      await read()
      await read()
      expect(seen).toEqual([two])
    })
    await read()
    expect(seen).toEqual([two, one])
    await read()
    expect(seen).toHaveLength(2)
  })
})
