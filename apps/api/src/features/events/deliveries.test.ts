import { demo } from '@rolecall/chat-sim'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { openEvents } from '../../../test/event-reader.ts'
import {
  deliveriesOf,
  type GivenReceiver,
  givenReceiver,
  verified,
  writeEvent,
} from '../../../test/event-receiver.ts'
import { givenSession } from '../../../test/given.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'
import { grantAccess } from '../access/grant-access.ts'
import { readQueues } from '../monitoring/queues-store.ts'

const [ada, ben, cleo] = [demo.users.ada, demo.users.joon, demo.users.yusra]

describe.each(ciEngines)('events by webhook on %s', (engine) => {
  const world = worldForTests(engine)
  const open: GivenReceiver[] = []
  const administrator = adminForTests(world)
  beforeAll(async () => {
    world.service.deps.deliveries.start()
  })
  afterEach(async () => {
    for (const { receiver } of open.splice(0)) await receiver.close()
  })

  const given = async () => {
    const project = await givenReceiver(world)
    open.push(project)
    return project
  }
  const admin = (method: string, path: string, body?: unknown) =>
    call(
      world.url,
      method,
      `/api/admin/projects${path}`,
      body === undefined ? administrator : { ...administrator, body },
    )
  const show = async ({ id }: GivenReceiver) => (await admin('GET', `/${id}`)).body
  const entries = ({ id }: GivenReceiver) =>
    world.service.deps.db.query<{ action: string; severity: string; summary: string }>(sql`
      select action, severity, summary from audit_log
      where target_id = ${id} and action like 'events.%' order by seq`)
  const deliveredTo = async (project: GivenReceiver) =>
    (await deliveriesOf(world, administrator.token, project, '?status=delivered')).length
  const notesOf = (project: GivenReceiver, member: string) =>
    project.receiver.taken.filter(({ data }) => data['memberId'] === member).map(({ data }) => data['note'])

  test('what the stream tells arrives as a Standard Webhook, under the same id', async () => {
    const project = await given()
    await grantAccess(world.service.deps, {}, { projectId: project.id, serverId: demo.mainGuildId })
    const stream = await openEvents(world.url, project)
    const session = await givenSession(world, { ...project }, ada).catch((error: Error) => error)
    if (session instanceof Error) throw session
    await call(world.url, 'POST', '/api/auth/logout', { key: project.key, body: { token: session.token } })
    const told = await stream.until('session.revoked')
    stream.close()
    await expect.poll(() => project.receiver.taken.map(({ id }) => id)).toContain(told.id)
    const sent = project.receiver.taken.find(({ id }) => id === told.id)
    expect(sent && verified(sent, project.secret)).toEqual({
      type: 'session.revoked',
      timestamp: told.data.at,
      data: told.data,
    })
    expect(sent?.headers).toMatchObject({ 'content-type': 'application/json' })
    expect(() => sent && verified(sent, `whsec_${Buffer.alloc(32).toString('base64')}`)).toThrow()
    const row = { id: told.id, status: 'delivered', attempts: 1, lastStatus: 204, memberId: ada }
    await expect
      .poll(async () => (await deliveriesOf(world, administrator.token, project))[0])
      .toMatchObject(row)
  })

  test('the secret is shown once: with the first address, and where another is made', async () => {
    const made = await admin('POST', '', {
      name: `Shown ${engine}`,
      eventsUrl: 'https://crew.example/events',
    })
    expect(made.status).toBe(201)
    const { project, eventsSecret } = made.body
    expect(eventsSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(project).toMatchObject({ eventsUrl: 'https://crew.example/events', eventsDisabledAt: null })
    const again = await admin('PATCH', `/${project.id}`, { eventsUrl: 'https://crew.example/other' })
    expect(again.body).not.toHaveProperty('eventsSecret')
    expect(again.body.eventsUrl).toBe('https://crew.example/other')
    const rotated = await admin('POST', `/${project.id}/rotate-events-secret`)
    expect(rotated.body.secret).toMatch(/^whsec_/)
    const known = await world.service.deps.db.query(
      sql`select * from audit_log where target_id = ${project.id}`,
    )
    for (const secret of [eventsSecret, rotated.body.secret]) {
      expect((await admin('GET', `/${project.id}`)).text).not.toContain(secret)
      expect(JSON.stringify(known)).not.toContain(secret)
    }
    const plain = await admin('POST', '', { name: `Later ${engine}` })
    const set = await admin('PATCH', `/${plain.body.project.id}`, {
      eventsUrl: 'https://crew.example/events',
    })
    expect(set.body.eventsSecret).toMatch(/^whsec_/)
  })

  test('after a rotation each event is signed by both secrets, until the former one ends', async () => {
    const project = await given()
    const rotate = async (body?: object) =>
      (await admin('POST', `/${project.id}/rotate-events-secret`, body)).body
    const second = await rotate({ graceSec: 3_600 })
    expect(Date.parse(second.formerEndsAt)).toBeGreaterThan(0)
    await writeEvent(world, project, ada)
    await expect.poll(() => project.receiver.taken.length).toBe(1)
    const [first] = project.receiver.taken
    for (const secret of [project.secret, second.secret])
      expect(first && verified(first, secret)).toBeTruthy()
    await world.service.deps.db.execute(sql`
      update event_endpoints set former_secret_until = clock_now() where project_id = ${project.id}`)
    await writeEvent(world, project, ada)
    await expect.poll(() => project.receiver.taken.length).toBe(2)
    expect(project.receiver.taken[1]?.headers['webhook-signature']).toMatch(/^v1,\S+$/)
    const third = await rotate({ graceSec: 0 })
    expect(third.formerEndsAt).toBeNull()
    await writeEvent(world, project, ada)
    await expect.poll(() => project.receiver.taken.length).toBe(3)
    const last = project.receiver.taken[2]
    expect(last && verified(last, third.secret)).toBeTruthy()
    expect(() => last && verified(last, second.secret)).toThrow()
  })

  test('events of one member come in their order, however often the receiver fails; others overtake them', async () => {
    const project = await given()
    const failures = new Map<string, number>()
    project.receiver.reply = ({ id, data }) => {
      const failed = failures.get(id) ?? 0
      if (data['memberId'] !== ada || Number(data['note']) % 3 !== 0 || failed > 0) return {}
      failures.set(id, failed + 1)
      return { status: 500 }
    }
    for (let note = 0; note < 7; note++) {
      for (const member of [ada, ben, cleo]) await writeEvent(world, project, member, note)
    }
    await expect.poll(() => project.receiver.taken.length, { timeout: 40_000 }).toBe(21)
    for (const member of [ada, ben, cleo]) expect(notesOf(project, member)).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  test('an event that is never accepted delays only events of its own member', async () => {
    const project = await given()
    project.receiver.reply = ({ data }) =>
      data['memberId'] === ada && data['note'] === 0 ? { status: 500 } : {}
    await writeEvent(world, project, ada, 0)
    await writeEvent(world, project, ada, 1)
    await writeEvent(world, project, ben, 0)
    await writeEvent(world, project, ben, 1)
    await expect.poll(() => notesOf(project, ben)).toEqual([0, 1])
    expect(notesOf(project, ada)).toEqual([])
    const behind = { status: 'pending', attempts: 0 }
    const failed = { status: 'pending', lastStatus: 500, lastError: 'The receiver returned status 500.' }
    await expect
      .poll(() => deliveriesOf(world, administrator.token, project, '?status=pending'))
      .toMatchObject([behind, failed])
    // A day later, that delivery is given up, and the next one of its member is sent. The update is repeated until
    // then, because an attempt in progress sets the time of the next one itself.
    const { db } = world.service.deps
    const aDayLater = () =>
      db.execute(sql`
        update deliveries set queued_at = clock_now() - interval '25 hours', next_attempt_at = clock_now()
        where project_id = ${project.id} and delivered_at is null`)
    const notes = async () => {
      if (notesOf(project, ada).length === 0) await aDayLater()
      return notesOf(project, ada)
    }
    await expect.poll(notes, { interval: 1_000 }).toEqual([1])
    expect(await entries(project)).toMatchObject([{ action: 'events.give-up', severity: 'error' }])
    expect((await show(project)).eventsDisabledAt).toBeNull()
  })

  test('a paused receiver is tried with a message that it has not refused yet', async () => {
    const project = await given()
    const tried: unknown[] = []
    project.receiver.reply = ({ data }) => {
      tried.push(data['memberId'])
      return data['memberId'] === ada ? { status: 500 } : {}
    }
    const { db } = world.service.deps
    await writeEvent(world, project, ada)
    const holdOff = () =>
      db.execute(sql`
        update receivers set next_attempt_at = clock_now() + interval '1 hour'
        where project_id = ${project.id} and claim is null and failures > 0`)
    await expect.poll(holdOff).toBe(1)
    const before = tried.length
    await writeEvent(world, project, ben)
    // Both messages are due at the same moment, and the refused one is older.
    await db.execute(sql`
      with due as (update deliveries set next_attempt_at = clock_now() where project_id = ${project.id})
      update receivers set next_attempt_at = clock_now() where project_id = ${project.id}`)
    await expect.poll(() => tried.slice(before)).toContain(ben)
    expect(tried[before]).toBe(ben)
  })

  test('410 switches off at once, with a notice and an entry; the same address again switches on', async () => {
    const project = await given()
    const { id: hook, token: hookToken } = world.sim.world.addWebhook(demo.mainGuildId)
    await admin('PATCH', `/${project.id}`, {
      webhookUrl: `${world.sim.apiUrl}/webhooks/${hook}/${hookToken}`,
    })
    project.receiver.reply = () => ({ status: 410 })
    await writeEvent(world, project, ada)
    await writeEvent(world, project, ben)
    await expect.poll(async () => (await show(project)).eventsDisabledAt).not.toBeNull()
    await expect
      .poll(async () =>
        (await deliveriesOf(world, administrator.token, project)).map(
          ({ status }: { status: string }) => status,
        ),
      )
      .toEqual(['failed', 'failed'])
    expect(await entries(project)).toMatchObject([
      {
        action: 'events.disable',
        severity: 'warning',
        summary: expect.stringContaining('returned status 410'),
      },
    ])
    const notices = await world.service.deps.db.query(
      sql`select type from deliveries where kind = 'notice' and project_id = ${project.id}`,
    )
    expect(notices).toEqual([{ type: 'events.disabled' }])
    const asked = project.receiver.received.length
    await writeEvent(world, project, ada)
    expect(await deliveriesOf(world, administrator.token, project)).toHaveLength(2)

    project.receiver.reply = () => ({})
    expect((await admin('PATCH', `/${project.id}`, { eventsUrl: project.receiver.url })).body).toMatchObject({
      eventsDisabledAt: null,
    })
    await writeEvent(world, project, cleo)
    await expect.poll(() => project.receiver.taken.length).toBe(1)
    expect(project.receiver.received.length).toBe(asked + 1)
  })

  test('an event keeps its stream ID in the list and when it is sent again', async () => {
    const project = await given()
    for (let note = 0; note < 3; note++) await writeEvent(world, project, ada, note)
    await expect.poll(() => deliveredTo(project)).toBe(3)
    const ids = project.receiver.taken.map(({ id }) => id)
    const path = `/${project.id}/event-deliveries`
    const { data } = (await admin('GET', path)).body
    expect(data.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
    const again = await admin('POST', `${path}/${ids[1]}/resend`)
    expect([again.status, again.body.id]).toEqual([202, ids[1]])
    await expect.poll(() => project.receiver.taken.map(({ id }) => id)).toEqual([...ids, ids[1]])
    expect((await admin('POST', `${path}/nothing/resend`)).body.code).toBe('DELIVERY_NOT_FOUND')
  })

  test('a receiver gets up to four concurrent requests, each about a different member; a failing one gets one', async () => {
    const project = await given()
    project.receiver.reply = () => ({ afterMs: 100 })
    const many = Array.from({ length: 12 }, (_, i) => `${BigInt(ada) + BigInt(i)}`)
    for (const member of [...many, ...many]) await writeEvent(world, project, member)
    await expect.poll(() => project.receiver.taken.length).toBe(24)
    expect(project.receiver.load.most).toBe(4)
    const failing = await given()
    failing.receiver.reply = () => ({ status: 500, afterMs: 100 })
    await writeEvent(world, failing, ada)
    await expect.poll(() => failing.receiver.received.length).toBe(1)
    for (const member of many) await writeEvent(world, failing, member)
    await expect.poll(() => failing.receiver.received.length).toBeGreaterThan(2)
    expect(failing.receiver.load.most).toBe(1)
  })

  test('events that waited for 72 hours are given up together, with one audit entry', async () => {
    const project = await given()
    const { db } = world.service.deps
    // No running instance holds this claim, so nothing is sent until the events are old.
    const hold = (claimedFor: string) =>
      db.execute(sql`
        insert into receivers (kind, project_id, claimed_until)
        values ('event', ${project.id}, clock_now() + ${claimedFor}::interval)
        on conflict (kind, project_id) do update set claimed_until = excluded.claimed_until`)
    await hold('1 hour')
    for (let note = 0; note < 3; note++) await writeEvent(world, project, ada, note)
    await db.execute(sql`
      update deliveries set queued_at = clock_now() - interval '73 hours' where project_id = ${project.id}`)
    await writeEvent(world, project, ada, 3)
    await hold('0')
    await expect.poll(() => notesOf(project, ada)).toEqual([3])
    expect(await deliveriesOf(world, administrator.token, project, '?status=failed')).toHaveLength(3)
    expect(await entries(project)).toMatchObject([
      { action: 'events.give-up', severity: 'error', summary: expect.stringContaining('3 events') },
    ])
  })

  test('monitoring counts what waits for the service, not what waits for a receiver that fails', async () => {
    const project = await given()
    const waiting = async () => (await readQueues(world.service.deps.db)).get('event_deliveries')?.rows
    await expect.poll(waiting).toBe(0)
    project.receiver.reply = () => ({ status: 500 })
    await writeEvent(world, project, ada)
    await writeEvent(world, project, ben)
    await expect.poll(() => project.receiver.received.length).toBeGreaterThan(0)
    await expect.poll(waiting).toBe(0)
    expect(await deliveriesOf(world, administrator.token, project, '?status=pending')).toHaveLength(2)
  })
})
