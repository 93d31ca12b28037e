import { request } from 'node:http'
import { demo } from '@rolecall/chat-sim'
import { fieldsOf } from '@rolecall/contract'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { call } from '../../../test/client.ts'
import { engines } from '../../../test/databases.ts'
import { givenAdmin } from '../../../test/given.ts'
import { repeats } from '../../../test/repeats.ts'
import type { World } from '../../../test/service.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import type { Database } from '../../platform/db/database.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import { listMembers } from './list-members.ts'

const members = '/api/admin/members'
const { mara, joon, ada, noor, yusra, piper, emil } = demo.users
const clubRoles = Object.values(demo.roles)
const gamesRoles = Object.values(demo.gamesRoles)

interface Filters {
  readonly filter?: 'club' | 'all'
  readonly serverId?: readonly string[]
  readonly roleId?: readonly string[]
  readonly search?: string
}

interface Known {
  readonly id: string
  readonly names: string
  readonly memberships: readonly { readonly serverId: string; readonly roles: readonly string[] }[]
}

describe.each(engines)('member lists on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  let token: string
  /** The members at the platform, as it reports them. */
  let known: Known[]
  beforeAll(async () => {
    const { sim } = world
    sim.world.setNick(demo.mainGuildId, ada, '=HYPERLINK("https://bad.example","x")')
    sim.world.setNick(demo.mainGuildId, joon, 'two\r\nlines, "quoted"')
    token = await givenAdmin(world)
    await call(world.url, 'POST', '/api/admin/servers', { token, body: { id: demo.gamesGuildId } })
    for (const id of [demo.mainGuildId, demo.gamesGuildId]) await synced(world, token, id)
    known = await readKnown(world)
  })

  const get = (path: string) => call(world.url, 'GET', path, { token })
  const queryOf = ({ serverId = [], roleId = [], ...rest }: Filters, more: Record<string, string> = {}) => {
    const query = new URLSearchParams({ ...rest, ...more })
    for (const id of serverId) query.append('serverId', id)
    for (const id of roleId) query.append('roleId', id)
    return query
  }
  const list = (filters: Filters, more: Record<string, string> = {}) =>
    get(`${members}?${queryOf(filters, more)}`)
  const idsOf = (body: { data: { memberId: string }[] }) => body.data.map(({ memberId }) => memberId)
  /** Returns the members that a list must contain, in its order. */
  const expected = ({ filter, serverId = [], roleId = [], search = '' }: Filters) =>
    known.filter(
      ({ memberships, names }) =>
        (filter !== 'club' || memberships.some((one) => one.serverId === demo.mainGuildId)) &&
        (serverId.length === 0 || memberships.some((one) => serverId.includes(one.serverId))) &&
        (roleId.length === 0 || memberships.some(({ roles }) => roles.some((id) => roleId.includes(id)))) &&
        names.includes(search.toLowerCase()),
    )

  const serverIds = [demo.mainGuildId, demo.gamesGuildId, '999999999999999999']
  const filters = fc.record(
    {
      filter: fc.constantFrom('club' as const, 'all' as const),
      serverId: fc.uniqueArray(fc.constantFrom(...serverIds), { maxLength: 2 }),
      roleId: fc.uniqueArray(fc.constantFrom(...clubRoles, ...gamesRoles), { maxLength: 3 }),
      search: fc.constantFrom(
        '',
        'a',
        'AMELIA',
        'berg1',
        'lia an',
        'يسر',
        '%',
        '_',
        '\\',
        "'",
        '.',
        'zzz',
        '11',
      ),
    },
    { requiredKeys: [] },
  )

  test('hold exactly the platform’s members, with any filters, page by page in one order', async () => {
    const pages = fc.record({ page: fc.integer({ min: 1, max: 4 }), limit: fc.integer({ min: 1, max: 100 }) })
    await fc.assert(
      fc.asyncProperty(filters, pages, async (wanted, { page, limit }) => {
        const { status, body } = await list(wanted, { page: `${page}`, limit: `${limit}` })
        expect(status).toBe(200)
        const all = expected(wanted)
        expect(body).toMatchObject({
          page,
          limit,
          total: all.length,
          totalPages: Math.ceil(all.length / limit),
        })
        expect(idsOf(body)).toEqual(all.slice((page - 1) * limit, page * limit).map(({ id }) => id))
      }),
      { numRuns: repeats(60) },
    )
  })

  test('answer the first twenty by default, and the same under /cross-server', async () => {
    const { body } = await get(members)
    expect(body).toMatchObject({ page: 1, limit: 20, total: known.length })
    expect(idsOf(body)).toEqual(known.slice(0, 20).map(({ id }) => id))
    expect((await get(`${members}/cross-server`)).body).toEqual(body)
  })

  test('show each member with all servers, the main one first, and role names highest first', async () => {
    const { body } = await list({ search: 'mara', serverId: [demo.gamesGuildId] })
    expect(body.total).toBe(1)
    const [item] = body.data
    expect(item).toMatchObject({ memberId: mara, isClubMember: true, serverCount: 2 })
    expect(item.servers.map(({ serverName }: { serverName: string }) => serverName)).toEqual([
      'Harbour Club',
      'Harbour Games',
    ])
    expect(item.servers[0]).toMatchObject({
      serverId: demo.mainGuildId,
      isMainServer: true,
      roleNames: [...item.servers[0].roleNames],
    })
    expect(item.servers[0].roleNames[0]).toBe('Steward')
    const named = item.servers[0].roles.map(({ name }: { name: string }) => name)
    expect(named).toEqual(item.servers[0].roleNames)
    expect(item.servers[0].roles[0]).toEqual({
      id: demo.adminRoleId,
      name: 'Steward',
      color: expect.any(Number),
      position: expect.any(Number),
    })
    expect(item.servers[0].joinedAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    expect(Object.keys(item).sort()).toEqual(
      [...fieldsOf('memberList'), 'blocked', 'isClubMember', 'memberId', 'serverCount', 'servers'].sort(),
    )
  })

  test('take ids repeated or separated by commas alike', async () => {
    const ids = [demo.roles.steward, demo.gamesRoles.gameMaster]
    const repeated = await list({ roleId: ids })
    const joined = await get(`${members}?roleId=${ids.join(',')}`)
    const mixed = await get(`${members}?roleId=${ids[0]}&roleId=${ids[1]},${ids[0]}`)
    expect(joined.body).toEqual(repeated.body)
    expect(mixed.body).toEqual(repeated.body)
    expect(repeated.body.total).toBe(expected({ roleId: ids }).length)
  })

  test('page without gaps or doubles while members come and go', async () => {
    const { deps } = world.service
    const wanted = known.filter(({ names }) => names.includes('amelia')).map(({ id }) => id)
    const seen: string[] = []
    for (let page = 1; ; page++) {
      const { body } = await list({ search: 'amelia' }, { page: `${page}`, limit: '7' })
      seen.push(...idsOf(body))
      // At the end of the order, so that the other members keep their places.
      await deps.db.execute(sql`
        insert into members (id, username, is_current) values (${`90000000000000000${page}`}, ${`~amelia${page}`}, true)`)
      if (body.data.length < 7) break
    }
    await deps.db.execute(sql`delete from members where username like '~amelia%'`)
    expect(seen.filter((id) => wanted.includes(id))).toEqual(wanted)
  })

  test('leave out a member who left everywhere, at once', async () => {
    const { deps } = world.service
    const shown = async () => idsOf((await list({ search: 'noor' })).body).includes(noor)
    expect(await shown()).toBe(true)
    await deps.mirrorMember(demo.gamesGuildId, { id: noor }, undefined, 'now')
    expect(await shown()).toBe(false)
    const { body } = await get(`${members}/${noor}/servers`)
    expect(body).toMatchObject({ memberId: noor, servers: [] })
    await synced(world, token, demo.gamesGuildId)
    expect(await shown()).toBe(true)
  })

  test('leave out the members of a removed server, and bring them back with it', async () => {
    const games = `/api/admin/servers/${demo.gamesGuildId}`
    const before = (await get(members)).body.total
    await call(world.url, 'DELETE', games, { token })
    expect((await list({ search: 'noor' })).body.total).toBe(0)
    const { body } = await list({ search: 'mara' })
    expect(body.data[0]).toMatchObject({ memberId: mara, serverCount: 1 })
    expect((await get(`${members}/${mara}/servers`)).body.servers).toHaveLength(1)
    expect((await get(`${members}/export?search=mara`)).body).toHaveLength(1)
    await call(world.url, 'POST', '/api/admin/servers', { token, body: { id: demo.gamesGuildId } })
    expect((await get(members)).body.total).toBe(before)
  })

  test('cost three statements, however many rows', async () => {
    const { db } = world.service.deps
    let statements = 0
    const counted = <Args extends unknown[], T>(run: (...args: Args) => T) => {
      return (...args: Args) => {
        statements += 1
        return run(...args)
      }
    }
    const counting: Database = {
      ...db,
      query: <Row>(statement: Sql) => counted(() => db.query<Row>(statement))(),
      maybeOne: <Row>(statement: Sql) => counted(() => db.maybeOne<Row>(statement))(),
      execute: counted(db.execute),
      batched: <Row>(statement: Sql) => counted(() => db.batched<Row>(statement))(),
    }
    for (const limit of [1, 10, 100]) {
      statements = 0
      expect((await listMembers({ db: counting }, { limit })).data).toHaveLength(limit)
      expect(statements).toBe(3)
    }
  })

  test.each([
    'page=0',
    'page=-1',
    'page=1.5',
    'page=0x10',
    'page=10000000000',
    'limit=0',
    'limit=101',
    'limit=',
    'limit=1&limit=2',
    'filter=CLUB',
    'filter=',
    'serverId=1',
    'serverId=',
    'roleId=abc',
    `roleId=${demo.roles.crew},`,
    `search=${'x'.repeat(101)}`,
    'search=%00',
    'search=%ff',
    'search=%ED%A0%80',
    'sort=name',
    'format=csv',
  ])('refuse %s', async (query) => {
    const reply = await get(`${members}?${query}`)
    expect([reply.status, reply.body.code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(reply.body.errors).toHaveLength(1)
  })

  test('name every problem of a query at once', async () => {
    const { body } = await get(`${members}?page=x&limit=0&filter=z&serverId=1&q=1`)
    const paths = body.errors.map(({ path }: { path: string }) => path)
    expect(paths.sort()).toEqual(['/filter', '/limit', '/page', '/q', '/serverId/0'])
  })

  test('a page far beyond the end is empty', async () => {
    const { body } = await get(`${members}?page=1000000000&limit=100`)
    expect(body).toMatchObject({ data: [], total: known.length })
  })

  test('one member shows their servers with roles, highest first', async () => {
    const { body } = await get(`${members}/${mara}/servers`)
    expect(body).toMatchObject({ memberId: mara, isClubMember: true })
    expect(body.servers[0]).toMatchObject({ serverId: demo.mainGuildId, isMainServer: true })
    expect(body.servers[0].serverIcon).toMatch(/^https:\/\//)
    expect(body).toHaveProperty('email')
    expect(body.servers[0].areRolesLive).toBe(false)
    expect(Date.now() - Date.parse(body.servers[0].rolesAsOf)).toBeLessThan(300_000)
    expect(body.servers[0].roles[0]).toEqual({
      id: demo.roles.steward,
      name: 'Steward',
      color: 0xc0392b,
      position: 9,
    })
    expect((await get(`${members}/${ada}/servers`)).body.displayName).toMatch(/^=HYPERLINK/)
    expect((await get(`${members}/${yusra}/servers`)).body.username).toBeTruthy()
    expect((await get(`${members}/${piper}/servers`)).body).toMatchObject({ globalName: null })
  })

  test('an unknown member is 404, a malformed id 400', async () => {
    expect((await get(`${members}/${emil}/servers`)).body.code).toBe('MEMBER_NOT_FOUND')
    for (const id of ['1', 'abc', '18446744073709551616', '-480844663499128837', '480844663499128837.0']) {
      expect((await get(`${members}/${id}/servers`)).status).toBe(400)
    }
  })

  const exportOf = async (wanted: Filters, format: 'csv' | 'json') => {
    const reply = await get(`${members}/export?${queryOf(wanted, { format })}`)
    expect(reply.status).toBe(200)
    return reply
  }
  const csvOf = async (wanted: Filters): Promise<Record<string, string>[]> =>
    parse((await exportOf(wanted, 'csv')).text, { columns: true, bom: true })

  test('an export has one row per membership, narrowed by server, kept by a role held anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(filters, async (wanted) => {
        const { serverId = [], filter } = wanted
        const rows = expected(wanted).flatMap(({ id, memberships }) =>
          memberships
            .filter((one) => serverId.length === 0 || serverId.includes(one.serverId))
            .filter((one) => filter !== 'club' || one.serverId === demo.mainGuildId)
            .map((one) => `${id} ${one.serverId}`),
        )
        const { body } = await exportOf(wanted, 'json')
        const found = body.map(
          (row: { memberId: string; serverId: string }) => `${row.memberId} ${row.serverId}`,
        )
        expect(found).toEqual(rows)
      }),
      { numRuns: repeats(25) },
    )
  })

  test('both formats of an export say the same, and read back as they were', async () => {
    const json = (await exportOf({}, 'json')).body
    const csv = await csvOf({})
    expect(csv).toHaveLength(json.length)
    for (const [i, row] of json.entries()) {
      expect(csv[i]).toMatchObject({
        memberId: row.memberId,
        username: row.username,
        serverId: row.serverId,
        isClubMember: `${row.isClubMember}`,
        joinedAt: row.joinedAt,
        roleNames: row.roleNames.join('; '),
      })
    }
    const nick = (id: string) => csv.find(({ memberId }) => memberId === id)?.['displayName']
    expect(nick(ada)).toBe(`'=HYPERLINK("https://bad.example","x")`)
    expect(nick(joon)).toBe('two\r\nlines, "quoted"')
    expect(nick(piper)).toMatch(/\p{Emoji}/u)
    expect(json.find((row: { memberId: string }) => row.memberId === ada).displayName).toMatch(/^=/)
  })

  test('an export is an attachment with a safe name, and JSON by default', async () => {
    const csv = await exportOf({}, 'csv')
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="members-${day}.csv"`)
    expect(csv.headers.get('x-content-type-options')).toBe('nosniff')
    expect(csv.headers.get('cache-control')).toBe('no-store')
    const json = await get(`${members}/export`)
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(json.headers.get('content-disposition')).toBe(`attachment; filename="members-${day}.json"`)
  })

  test('an export of nothing is an empty array, or a header row', async () => {
    expect((await exportOf({ search: 'nobody at all' }, 'json')).body).toEqual([])
    expect((await exportOf({ search: 'nobody at all' }, 'csv')).text).toMatch(/^\uFEFF?memberId,.*\r\n$/)
  })

  test.each(['format=xml', 'page=1', 'limit=5', 'format=csv&format=json'])(
    'an export refuses %s',
    async (query) => {
      expect((await get(`${members}/export?${query}`)).status).toBe(400)
    },
  )

  test('exports that are broken off leave nothing open', async () => {
    for (let round = 0; round < repeats(50); round++) {
      await Promise.all([1, 2].map(() => brokenOff(`${world.url}${members}/export?format=csv`, token)))
    }
    await expect.poll(() => openReads(world)).toBe(0)
    expect((await exportOf({}, 'json')).body.length).toBeGreaterThan(1_000)
  })
})

async function synced(world: World, token: string, id: string) {
  await call(world.url, 'POST', `/api/admin/servers/${id}/sync`, { token })
  const status = async () => {
    const { body } = await call(world.url, 'GET', '/api/admin/servers', { token })
    return body.data.find((one: { id: string }) => one.id === id).lastSync.status
  }
  await vi.waitFor(async () => expect(await status()).toBe('succeeded'), { timeout: 20_000 })
}

interface Listed {
  readonly user: { readonly id: string; readonly username: string; readonly global_name: string | null }
  readonly roles: readonly string[]
}

/** Lists all members of the platform's servers, in the order of our lists. */
async function readKnown({ sim }: World): Promise<Known[]> {
  const byId = new Map<string, Known & { memberships: Known['memberships'][number][] }>()
  for (const serverId of [demo.mainGuildId, demo.gamesGuildId]) {
    for (let after = '0'; ; ) {
      const response = await fetch(`${sim.apiUrl}/v10/guilds/${serverId}/members?limit=1000&after=${after}`, {
        headers: { authorization: `Bot ${sim.app.botToken}` },
      })
      const page = (await response.json()) as Listed[]
      for (const { user, roles } of page) {
        const names = `${user.username}\n${user.global_name ?? ''}`.toLowerCase()
        const one = byId.get(user.id) ?? { id: user.id, names, memberships: [] }
        one.memberships.push({ serverId, roles })
        byId.set(user.id, one)
      }
      if (page.length < 1_000) break
      after = page.at(-1)?.user.id ?? after
    }
  }
  const inBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
  return [...byId.values()].sort((a, b) => inBytes(a.names, b.names) || inBytes(a.id, b.id))
}

/** Starts a download and disconnects after its first bytes. */
const brokenOff = (url: string, token: string) =>
  new Promise<void>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    // Uses a connection of its own: fetch would open the next one in advance.
    const asked = request(url, { headers, agent: false }, (response) => {
      response.once('data', () => {
        asked.destroy()
        resolve()
      })
    })
    asked.once('error', reject).end()
  })

/** Counts open statements and cursors in the database, except this query. */
async function openReads({ engine, service: { deps } }: World) {
  const row = await deps.db.maybeOne<{ n: number }>(
    engine === 'pglite'
      ? sql`select count(*) as n from pg_cursors where name like 'stream_%'`
      : sql`select count(*) as n from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
  )
  return row?.n
}
