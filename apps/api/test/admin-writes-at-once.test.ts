import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { sql } from '../src/platform/db/sql.ts'
import { type AdminWrite, adminWrites } from './admin-writes.ts'
import { atOnce } from './at-once.ts'
import { call } from './client.ts'
import { ciEngines } from './databases.ts'
import { repeats } from './repeats.ts'
import { rowsOf } from './requests.ts'
import { adminForTests, worldForTests } from './world-for-tests.ts'

const writes = rowsOf(({ auth, method, isRead }) => auth === 'admin' && method !== 'GET' && !isRead)
const requests = 8
/** Enough pairs to find, with near certainty, a race that is lost once in six pairs. */
const rounds = repeats(4)
const oppositeRounds = repeats(8)

describe.each(ciEngines)('the same change requested several times at once, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
  const admin = adminForTests(world)

  const entriesAfter = (seq: number) =>
    world.service.deps.db.query<{ action: string }>(sql`select action from audit_log where seq > ${seq}`)

  test.each(writes)(
    '%s fails none of them and is recorded as often as it changed something',
    async (name, { method }) => {
      const { given, settled, undo, again, action } = adminWrites[name] as AdminWrite
      const asking = { world, ...admin }
      for (let round = 0; round < rounds; round++) {
        const { path, ...sent } = await given(asking)
        const head = await world.service.deps.db.maybeOne<{ seq: number }>(sql`select seq from audit_head`)
        const replies = await atOnce(requests, () => call(world.url, method, path, { ...admin, ...sent }))
        await settled?.(asking)
        for (const { status, text } of replies) expect(status, text).toBeLessThan(500)
        const accepted = replies.filter(({ status }) => status < 300).length
        const recorded = (await entriesAfter(head?.seq ?? 0)).filter(
          (entry) => entry.action === action,
        ).length
        if (again === 'refused') expect([accepted, recorded]).toEqual([1, 1])
        else if (again === 'nothing')
          expect([accepted, recorded]).toEqual([requests, round === 0 || undo ? 1 : recorded])
        else expect(recorded > 0 && recorded <= accepted, `${recorded} of ${accepted}`).toBe(true)
        await undo?.(asking)
      }
    },
  )

  /** Requests that each set one field to a different value, and the name of the field in the audit log. */
  const different: [write: string, field: string, body: (i: number) => unknown][] = [
    ['PUT /api/admin/members/{id}/block', 'reason', (i) => ({ reason: `Reason ${i}` })],
    ['PATCH /api/admin/projects/{id}', 'description', (i) => ({ description: `Text ${i}` })],
    [
      'PATCH /api/admin/projects/{id}/redirect-uri',
      'redirectUris',
      (i) => ({ redirectUri: `https://site.example/${i}` }),
    ],
    [
      'PATCH /api/admin/projects/{projectId}/inbound-webhooks/{webhookId}',
      'name',
      (i) => ({ name: `Form ${i}` }),
    ],
    ['PATCH /api/admin/profile', 'preferredName', (i) => ({ preferredName: `Name ${i}` })],
    ['PATCH /api/admin/settings', 'cache.statsTtlMs', (i) => ({ cache: { statsTtlMs: 1_000 + i } })],
  ]
  test.each(different)('%s records each time what the change before it left', async (name, field, bodyOf) => {
    const { given, undo } = adminWrites[name] as AdminWrite
    const [, one] = writes.find(([title]) => title === name) as (typeof writes)[number]
    const { path } = await given({ world, ...admin })
    const head = await world.service.deps.db.maybeOne<{ seq: number }>(sql`select seq from audit_head`)
    const replies = await atOnce(requests, (i) =>
      call(world.url, one.method, path, { ...admin, body: bodyOf(i) }),
    )
    for (const { status, text } of replies) expect(status, text).toBeLessThan(300)
    const changes = await world.service.deps.db.query<{ before: unknown; after: unknown }>(sql`
      select changes -> ${field} -> 'before' as before, changes -> ${field} -> 'after' as after
      from audit_log where seq > ${head?.seq ?? 0} order by seq`)
    expect(changes).toHaveLength(requests)
    expect(changes.slice(1).map(({ before }) => before)).toEqual(
      changes.slice(0, -1).map(({ after }) => after),
    )
    await undo?.({ world, ...admin })
  })

  const club = demo.mainGuildId
  /** Two writes that undo each other, the path of the second from that of the first, and the field that both record. */
  const opposite: [write: string, field: string, requests: (path: string) => [string, string, unknown?][]][] =
    [
      [
        'PUT /api/admin/members/{id}/block',
        'reason',
        (path) => [
          ['PUT', path, { reason: 'First' }],
          ['DELETE', path],
          ['PUT', path, { reason: 'Second' }],
        ],
      ],
      [
        'PATCH /api/admin/projects/{id}',
        'isActive',
        (path) => [
          ['PATCH', path, { isActive: false }],
          ['PATCH', path, { isActive: true }],
        ],
      ],
      [
        'PATCH /api/admin/projects/{id}',
        'owners',
        (path) => [
          ['PATCH', path, { owners: { memberIds: [demo.users.mara] } }],
          ['PATCH', path, { owners: { memberIds: [] } }],
        ],
      ],
      [
        'PUT /api/admin/projects/{projectId}/servers/{serverId}',
        `server ${club}`,
        (path) => [
          ['PUT', path, { scopes: ['read_members'] }],
          ['DELETE', path],
          ['PUT', path, { scopes: [] }],
        ],
      ],
      [
        'PATCH /api/admin/projects/{projectId}/inbound-webhooks/{webhookId}',
        'isActive',
        (path) => [
          ['PATCH', path, { isActive: false }],
          ['PATCH', path, { isActive: true }],
        ],
      ],
      [
        'PATCH /api/admin/profile',
        'preferredName',
        (path) => [
          ['PATCH', path, { preferredName: 'Mara' }],
          ['PATCH', path, { preferredName: null }],
        ],
      ],
      [
        'PATCH /api/admin/settings',
        'cache.statsTtlMs',
        (path) => [
          ['PATCH', path, { cache: { statsTtlMs: 1_234 } }],
          ['POST', `${path}/reset`],
          ['PATCH', path, { cache: { statsTtlMs: 4_321 } }],
        ],
      ],
      [
        'PATCH /api/admin/servers/{id}',
        'isMain',
        (path) => [
          ['PATCH', path, { isMain: false }],
          ['PATCH', path, { isMain: true }],
        ],
      ],
    ]
  test.each(opposite)('%s and its opposite never fail, and record %s in turn', async (name, field, all) => {
    const { given, undo } = adminWrites[name] as AdminWrite
    for (let round = 0; round < oppositeRounds; round++) {
      const { path } = await given({ world, ...admin })
      const head = await world.service.deps.db.maybeOne<{ seq: number }>(sql`select seq from audit_head`)
      const ways = all(path)
      const replies = await atOnce(requests, (i) => {
        const [method, to, body] = ways[i % ways.length] as (typeof ways)[number]
        return call(world.url, method, to, { ...admin, ...(body !== undefined && { body }) })
      })
      for (const { status, text } of replies) expect(status, text).toBeLessThan(500)
      const changes = await world.service.deps.db.query<{ before: unknown; after: unknown }>(sql`
        select changes -> ${field} -> 'before' as before, changes -> ${field} -> 'after' as after
        from audit_log where seq > ${head?.seq ?? 0} and changes -> ${field} is not null order by seq`)
      expect(changes.length).toBeGreaterThan(0)
      expect(changes.slice(1).map(({ before }) => before)).toEqual(
        changes.slice(0, -1).map(({ after }) => after),
      )
      await undo?.({ world, ...admin })
    }
  })
})
