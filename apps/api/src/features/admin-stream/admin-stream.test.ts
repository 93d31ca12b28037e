import { demo } from '@rolecall/chat-sim'
import { type adminStream, adminStream as contract, formats } from '@rolecall/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { givenAdmin, givenProject } from '../../../test/given.ts'
import { startWorld } from '../../../test/service.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const { mainGuildId, users, roles } = demo
const ajv = new Ajv2020({ strict: false, formats })
type Told = adminStream.AdminEvent & { readonly id: string }

interface Reader {
  readonly status: number
  readonly events: Told[]
  lastId(): string
  readonly ended: Promise<void>
  close(): void
}

describe.each(mainEngines)('the stream of the administration on %s', (engine) => {
  const open: Reader[] = []
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  const admin = adminForTests(world)
  afterEach(() => {
    for (const reader of open.splice(0)) {
      for (const { type, data } of reader.events) {
        const fits = ajv.validate(contract.AdminEvents[type], data)
        expect(fits, `${type} ${JSON.stringify(data)}: ${ajv.errorsText()}`).toBe(true)
      }
      reader.close()
    }
  })

  const listen = async ({
    url = world.url,
    as = admin.token,
    lastId,
  }: {
    url?: string
    as?: string
    lastId?: string
  } = {}): Promise<Reader> => {
    const aborted = new AbortController()
    const response = await fetch(`${url}/api/admin/stream`, {
      headers: { authorization: `Bearer ${as}`, ...(lastId !== undefined && { 'last-event-id': lastId }) },
      signal: aborted.signal,
    })
    const events: Told[] = []
    let last = ''
    const take = (frame: string) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1]
      last = field('id') ?? last
      const type = field('event')
      if (type) events.push({ id: last, type, data: JSON.parse(field('data') ?? '') } as Told)
    }
    const ended = (async () => {
      let text = ''
      for await (const chunk of (response.body ?? new ReadableStream<Uint8Array<ArrayBuffer>>()).pipeThrough(
        new TextDecoderStream(),
      )) {
        const frames = (text + chunk).split('\n\n')
        text = frames.pop() ?? ''
        frames.forEach(take)
      }
    })()
    ended.catch(() => {})
    const reader = {
      status: response.status,
      events,
      lastId: () => last,
      ended,
      close: () => aborted.abort(),
    }
    open.push(reader)
    if (response.status === 200) await expect.poll(() => last, { interval: 5 }).not.toBe('')
    return reader
  }
  const until = async <T extends Told['type']>({ events }: Reader, type: T) => {
    await expect.poll(() => events.map((one) => one.type), { timeout: 20_000, interval: 20 }).toContain(type)
    return events.find((one) => one.type === type)?.data as Extract<Told, { type: T }>['data']
  }
  const change = (name: string) =>
    call(world.url, 'POST', '/api/admin/projects', { ...admin, body: { name } })
  const newest = async () =>
    (await call(world.url, 'GET', '/api/admin/audit/logs?limit=1', admin)).body.data[0].id

  test('tells ids of what changed: entries, members, syncs and deliveries', async () => {
    const reader = await listen()
    await change('Told once')
    expect((await until(reader, 'audit.appended')).entryIds).toContain(await newest())
    world.sim.world.setRoles(mainGuildId, users.ada, [roles.crew])
    await world.service.deps.refreshMember(mainGuildId, users.ada)
    expect(await until(reader, 'members.changed')).toEqual({
      serverIds: [mainGuildId],
      memberIds: [users.ada],
      more: false,
    })
    await call(world.url, 'POST', `/api/admin/servers/${mainGuildId}/sync`, admin)
    expect((await until(reader, 'sync.changed')).serverIds).toEqual([mainGuildId])
    const { id } = await givenProject(world)
    await world.service.deps.db.execute(sql`
      insert into deliveries (kind, project_id, type, data, last_attempt_at)
      values ('notice', ${id}, 'key.revoked', '{}', clock_now())`)
    expect((await until(reader, 'delivery.changed')).projectIds).toEqual([id])
    // None of them contains anything else: no name, no address, no text.
    expect(JSON.stringify(reader.events)).not.toContain('Told once')
  })

  test('gathers what happens together: a hundred entries are an event or two', async () => {
    const reader = await listen()
    const { db, audit } = world.service.deps
    await db.transaction((tx) =>
      audit.record(
        tx,
        Array.from({ length: 100 }, () => ({ actionType: 'auth', action: 'x.y', summary: 'z' }) as const),
      ),
    )
    const { entryIds, more } = await until(reader, 'audit.appended')
    expect([entryIds.length, more]).toEqual([50, true])
    const told = reader.events.filter(({ type }) => type === 'audit.appended')
    expect(told.length).toBeLessThanOrEqual(2)
  })

  test('goes on after the last id, and says when it cannot', async () => {
    const first = await listen()
    const lastId = first.lastId()
    first.close()
    await change('While nobody listened')
    const missed = await newest()
    expect((await until(await listen({ lastId }), 'audit.appended')).entryIds).toContain(missed)
    const [seq, xid] = lastId.split('-')
    for (const [id, reason] of [
      ['nonsense', 'unknown_id'],
      [`999999999-${xid}-${lastId.split('-')[2]}`, 'unknown_id'],
      [`${seq}-${xid}-1`, 'too_far_behind'],
    ])
      expect(await until(await listen({ lastId: id ?? '' }), 'reset')).toEqual({ reason })
  })

  test('ends with its session, at once', async () => {
    const as = await givenAdmin(world)
    const reader = await listen({ as })
    const other = await listen()
    const begunAt = performance.now()
    await call(world.url, 'POST', '/api/auth/admin/logout', { token: as })
    await reader.ended
    // A second rather than a quarter, because the machine may be busy.
    expect(performance.now() - begunAt).toBeLessThan(3_000)
    await change('After the end')
    await until(other, 'audit.appended')
    expect(
      (await fetch(`${world.url}/api/admin/stream`, { headers: { authorization: `Bearer ${as}` } })).status,
    ).toBe(401)
  })

  test('ends when its member may not administer any more', async () => {
    world.sim.world.setRoles(mainGuildId, users.joon, [roles.steward])
    await world.service.deps.refreshMember(mainGuildId, users.joon)
    const reader = await listen({ as: await givenAdmin(world, users.joon) })
    world.sim.world.setRoles(mainGuildId, users.joon, [])
    await world.service.deps.refreshMember(mainGuildId, users.joon)
    await reader.ended
  })

  test('is had four times by a session: a fifth ends the first', async () => {
    const as = await givenAdmin(world)
    const readers = []
    for (let i = 0; i < 5; i++) readers.push(await listen({ as }))
    await readers[0]?.ended
    await change('For the four')
    for (const reader of readers.slice(1)) await until(reader, 'audit.appended')
  })
})

test('every instance tells what happens on every other', async () => {
  const world = await startWorld('postgres', { PERMISSION_TTL_MS: '3600000' })
  try {
    const token = await givenAdmin(world)
    const other = await world.another()
    const response = await fetch(`${other.url}/api/admin/stream`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const reader = (response.body ?? new ReadableStream<Uint8Array<ArrayBuffer>>())
      .pipeThrough(new TextDecoderStream())
      .getReader()
    let text = (await reader.read()).value ?? ''
    await call(world.url, 'POST', '/api/admin/projects', { token, body: { name: 'Elsewhere' } })
    while (!text.includes('event: audit.appended')) text += (await reader.read()).value ?? ''
    await reader.cancel()
  } finally {
    await world.close()
  }
})
