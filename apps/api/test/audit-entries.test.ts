import { demo } from '@rolecall/chat-sim'
import type { EndpointDefinition } from '@rolecall/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../src/platform/db/sql.ts'
import { type AdminWrite, type Asked, adminWrites } from './admin-writes.ts'
import { type Call, call } from './client.ts'
import { engines } from './databases.ts'
import { givenProject, givenSession } from './given.ts'
import { addressOf, rowsOf } from './requests.ts'
import { adminForTests, worldForTests } from './world-for-tests.ts'

const writes = rowsOf(({ auth, method, isRead }) => auth === 'admin' && method !== 'GET' && !isRead)

test('every endpoint of the administration that changes something is in the table, and no other', () => {
  expect(Object.keys(adminWrites).sort()).toEqual(writes.map(([name]) => name).sort())
})

describe.each(engines)('the audit entries on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  let member: string
  const admin = adminForTests(world)
  beforeAll(async () => {
    member = (await givenSession(world, await givenProject(world))).token
  })

  const ask = ({ method }: EndpointDefinition, { path, ...sent }: Asked, more: Call = admin) =>
    call(world.url, method, path, { ...sent, ...more })
  const rowOf = (name: string) => adminWrites[name] as AdminWrite
  /** Returns the entries that an action adds. */
  async function entriesOf<T>(run: () => Promise<T>) {
    const { db } = world.service.deps
    const head = await db.maybeOne<{ seq: number }>(sql`select seq from audit_head`)
    const result = await run()
    const entries = await db.query(sql`
      select action, action_type as "actionType", actor_id as "actorId", ip, request_id as "requestId"
      from audit_log where seq > ${head?.seq} order by seq`)
    return { result, entries }
  }

  test.each(writes)(
    '%s leaves exactly one, which says who, from where and in which request',
    async (name, one) => {
      const { given, settled, undo, again, action, actionType } = rowOf(name)
      const asking = { world, ...admin }
      const asked = await given(asking)
      const send = () =>
        entriesOf(async () => {
          const reply = await ask(one, asked)
          await settled?.(asking)
          return reply
        })
      const first = await send()
      expect(first.result.status, first.result.text).toBeLessThan(300)
      const requestId = first.result.headers.get('x-request-id')
      const entry = { action, actionType, actorId: demo.users.mara, ip: '127.0.0.1', requestId }
      expect(first.entries).toEqual([entry])

      const second = await send()
      expect(second.result.status < 300, second.result.text).toBe(again !== 'refused')
      expect(second.entries).toHaveLength(again === 'changes' ? 1 : 0)
      await undo?.(asking)
    },
  )

  test.each(writes)('%s leaves none when it is refused, for any reason', async (name, one) => {
    const { given, undo } = rowOf(name)
    const asked = await given({ world, ...admin })
    const nowhere = { ...asked, path: addressOf(one).replaceAll(demo.mainGuildId, '999999999999999999') }
    const refused: [Asked, Call][] = [
      [asked, {}],
      [asked, { token: member }],
      [asked, { headers: { cookie: `svc_admin=${admin.token}` } }],
      ...(one.body ? ([[{ ...asked, body: { unknown: 1 } }, admin]] as [Asked, Call][]) : []),
      ...(one.params
        ? ([
            [nowhere, admin],
            [{ ...asked, path: addressOf(one, { malformed: true }) }, admin],
          ] as [Asked, Call][])
        : []),
    ]
    const { entries, result } = await entriesOf(() =>
      Promise.all(refused.map(([what, how]) => ask(one, what, how))),
    )
    for (const { status, text } of result) expect(status, text).toBeGreaterThanOrEqual(400)
    expect(entries).toEqual([])
    await undo?.({ world, ...admin })
  })
})
