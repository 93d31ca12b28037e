import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Administration, givenAdministration } from '../../../test/administration.ts'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { openEvents } from '../../../test/event-reader.ts'
import { type GivenProject, givenProject, givenSession, validate } from '../../../test/given.ts'
import type { Service } from '../../../test/service.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'
import { endKeys } from './end-keys.ts'

/** The tested fields of a key in the list. */
interface Shown {
  readonly id: string
  readonly prefix: string
  readonly status: string
  readonly uses: number
}

describe.each(ciEngines)('several keys of one project on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
  let instances: Service[]
  let admin: Administration
  beforeAll(async () => {
    // Only one process can open the folder of the embedded engine.
    instances = engine === 'postgres' ? [world.service, await world.another()] : [world.service]
    admin = await givenAdministration(world)
  })

  const given = async () => {
    const project = await givenProject(world)
    return { project, token: (await givenSession(world, project)).token }
  }
  type Given = Awaited<ReturnType<typeof given>>
  const everywhere = async ({ project, token }: Given, key: string) => {
    const replies = await Promise.all(
      instances.map(({ url }) => validate({ url }, { ...project, key }, token)),
    )
    return [...new Set(replies.map(({ status, body }) => body.code ?? status))]
  }
  const regenerate = async ({ id }: GivenProject, body?: object) =>
    (await admin.projects('POST', `/${id}/regenerate-api-key`, body)).body
  const add = async ({ id }: GivenProject, body?: object) => admin.projects('POST', `/${id}/keys`, body)
  const keysOf = async ({ id }: GivenProject): Promise<Shown[]> =>
    (await admin.projects('GET', `/${id}/keys`)).body.data
  const statuses = async (project: GivenProject) => (await keysOf(project)).map(({ status }) => status)
  const prefixOf = (key: string) => key.slice(0, 12)
  const nowMs = async () => {
    const row = await world.service.deps.db.maybeOne<{ now: Date }>(sql`select clock_now() as now`)
    return row?.now.getTime() ?? 0
  }
  /** Sets the end of a key directly, without an action of an admin. */
  const setEnd = (key: string, from: string) =>
    world.service.deps.db.execute(sql`
      update api_keys set expires_at = clock_now() + ${from}::interval where prefix = ${prefixOf(key)}`)

  test('a replaced key goes on for so long, and is refused from its end on by every instance that knew it', async () => {
    const one = await given()
    const { apiKey, replaced } = await regenerate(one.project, { graceSec: 1 })
    expect(replaced).toEqual({ prefix: prefixOf(one.project.key), endsAt: expect.any(String) })
    const endsAtMs = Date.parse(replaced.endsAt)
    const early = await everywhere(one, one.project.key)
    // A busy machine may need the whole second for these requests.
    if ((await nowMs()) < endsAtMs) expect(early).toEqual([200])
    let refused = 0
    while (refused < 10) {
      // By the database's clock: a request after the end must not be answered from memory.
      const beganAtMs = await nowMs()
      const answers = await everywhere(one, one.project.key)
      if (beganAtMs < endsAtMs) continue
      expect(answers).toEqual(['INVALID_API_KEY'])
      refused += 1
    }
    expect(await everywhere(one, apiKey)).toEqual([200])
  })

  test('without graceSec the old key and those before it end at once, everywhere', async () => {
    const one = await given()
    const second = await regenerate(one.project, { graceSec: 3_600 })
    for (const key of [one.project.key, second.apiKey]) expect(await everywhere(one, key)).toEqual([200])
    const third = await regenerate(one.project)
    expect(third.replaced).toBeUndefined()
    for (const key of [one.project.key, second.apiKey])
      expect(await everywhere(one, key)).toEqual(['INVALID_API_KEY'])
    expect(await everywhere(one, third.apiKey)).toEqual([200])
  })

  test('revoking ends both for the next request on every instance, and only the new one comes back', async () => {
    const one = await given()
    const { apiKey } = await regenerate(one.project, { graceSec: 86_400 })
    for (const key of [one.project.key, apiKey]) expect(await everywhere(one, key)).toEqual([200])
    expect((await admin.projects('DELETE', `/${one.project.id}/key`)).status).toBe(204)
    for (const key of [one.project.key, apiKey])
      expect(await everywhere(one, key)).toEqual(['INVALID_API_KEY'])
    expect((await admin.projects('POST', `/${one.project.id}/restore-key`)).status).toBe(204)
    expect(await everywhere(one, one.project.key)).toEqual(['INVALID_API_KEY'])
    expect(await everywhere(one, apiKey)).toEqual([200])
  })

  test('a key that was revoked does not go on when it is replaced', async () => {
    const one = await given()
    await admin.projects('DELETE', `/${one.project.id}/key`)
    const { apiKey, replaced } = await regenerate(one.project, { graceSec: 600 })
    expect(replaced).toBeUndefined()
    expect(await everywhere(one, one.project.key)).toEqual(['INVALID_API_KEY'])
    expect(await everywhere(one, apiKey)).toEqual([200])
  })

  test('an added key works beside the others, is the newest, and ends alone', async () => {
    const one = await given()
    const { status, body } = await add(one.project, { note: 'Nightly import' })
    expect([status, prefixOf(body.apiKey)]).toEqual([201, body.prefix])
    for (const key of [one.project.key, body.apiKey]) expect(await everywhere(one, key)).toEqual([200])
    expect((await admin.projects('GET', `/${one.project.id}/api-key`)).body.prefix).toBe(body.prefix)
    expect(await keysOf(one.project)).toMatchObject([
      { id: body.id, note: 'Nightly import', isNewest: true, status: 'active' },
      { prefix: prefixOf(one.project.key), note: null, isNewest: false, status: 'active' },
    ])
    expect((await admin.projects('DELETE', `/${one.project.id}/keys/${body.id}`)).status).toBe(204)
    expect(await everywhere(one, body.apiKey)).toEqual(['INVALID_API_KEY'])
    expect(await everywhere(one, one.project.key)).toEqual([200])
  })

  test('a project has five keys that work at most: 409 for one more, until one is revoked', async () => {
    const { project } = await given()
    const added = []
    for (let i = 0; i < 4; i++) added.push((await add(project)).body)
    const refused = await add(project)
    expect([refused.status, refused.body.code]).toEqual([409, 'API_KEY_LIMIT_REACHED'])
    expect((await regenerate(project, { graceSec: 60 })).code).toBe('API_KEY_LIMIT_REACHED')
    expect(await statuses(project)).toEqual(Array(5).fill('active'))
    await admin.projects('DELETE', `/${project.id}/keys/${added[0].id}`)
    expect((await regenerate(project, { graceSec: 60 })).apiKey).toBeDefined()
    expect((await add(project)).status).toBe(409)
  })

  test('of many that are added at once five work in all', async () => {
    const { project } = await given()
    const replies = await Promise.all(Array.from({ length: 8 }, () => add(project)))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 409, 409, 409, 409])
    expect(await statuses(project)).toEqual(Array(5).fill('active'))
  })

  test('a key with an end is refused from then on, and does not come back', async () => {
    const one = await given()
    const expiresAt = new Date((await nowMs()) + 60_000).toISOString()
    const { apiKey } = (await add(one.project, { expiresAt })).body
    expect(await everywhere(one, apiKey)).toEqual([200])
    await setEnd(apiKey, '0 seconds')
    await world.service.deps.answers.confirm()
    expect(await everywhere(one, apiKey)).toEqual(['INVALID_API_KEY'])
    const info = (await admin.projects('GET', `/${one.project.id}/api-key`)).body
    expect(info).toMatchObject({ prefix: prefixOf(apiKey), status: 'expired' })
    await endKeys(world.service.deps)
    expect((await statuses(one.project)).sort()).toEqual(['active', 'expired'])
    expect((await admin.projects('POST', `/${one.project.id}/restore-key`)).body.code).toBe('NO_REVOKED_KEY')
  })

  test('a replaced key works until a time of the next 30 days', async () => {
    const one = await given()
    const graceUntil = new Date((await nowMs()) + 7 * 86_400_000).toISOString()
    const { apiKey, replaced } = await regenerate(one.project, { graceUntil })
    expect(replaced.prefix).toBe(prefixOf(one.project.key))
    expect(replaced.endsAt).toBe(graceUntil)
    for (const key of [one.project.key, apiKey]) expect(await everywhere(one, key)).toEqual([200])
  })

  test.each([
    { graceUntil: new Date(Date.now() - 1_000).toISOString() },
    { graceUntil: new Date(Date.now() + 31 * 86_400_000).toISOString() },
    { graceUntil: new Date(Date.now() + 3_600_000).toISOString(), graceSec: 60 },
    { graceSec: -1 },
    { graceSec: 86_401 },
    { graceSec: 1.5 },
    { graceSec: '1' },
    { note: '' },
    { seconds: 1 },
  ])('400 for %j, and the key stays', async (body) => {
    const one = await given()
    expect((await regenerate(one.project, body)).code).toBe('VALIDATION_FAILED')
    expect(await everywhere(one, one.project.key)).toEqual([200])
  })

  test('400 for an end that has passed, and 404 for a key of another project', async () => {
    const { project } = await given()
    for (const expiresAt of ['2020-01-01', '2020-01-01T00:00:00Z'])
      expect((await add(project, { expiresAt })).body.errors).toMatchObject([{ path: '/expiresAt' }])
    const [foreign] = await keysOf((await given()).project)
    const reply = await admin.projects('DELETE', `/${project.id}/keys/${foreign?.id}`)
    expect([reply.status, reply.body.code]).toEqual([404, 'API_KEY_NOT_FOUND'])
  })

  test('uses are counted by key, and monitoring names the old one until it has ended', async () => {
    const one = await given()
    const logout = (key: string) => call(world.url, 'POST', '/api/auth/logout', { key, body: { token: 'x' } })
    const named = async () =>
      (
        await call(world.url, 'GET', '/api/admin/monitoring/replaced-keys', { token: admin.token })
      ).body.data.filter(({ projectId }: { projectId: string }) => projectId === one.project.id)
    await logout(one.project.key)
    await world.service.recorder.flush()
    const before = (await keysOf(one.project))[0]?.uses ?? 0
    expect(before).toBeGreaterThan(0)
    expect(await named()).toEqual([])
    const { apiKey } = await regenerate(one.project, { graceSec: 600 })
    for (const key of [apiKey, one.project.key, one.project.key]) await logout(key)
    await world.service.recorder.flush()
    const uses = (await keysOf(one.project)).map(({ prefix, uses }) => [prefix, uses])
    expect(uses).toEqual([
      [prefixOf(apiKey), 1],
      [prefixOf(one.project.key), before + 2],
    ])
    expect(await named()).toMatchObject([{ prefix: prefixOf(one.project.key), usesSinceReplaced: 2 }])
    await setEnd(one.project.key, '0 seconds')
    expect(await named()).toEqual([])
  })

  test('an hour before its end the audit log, the channel and the events tell of a replaced key, once', async () => {
    const { project } = await given()
    const { apiKey } = await regenerate(project, { graceSec: 86_400 })
    const reader = await openEvents(world.url, { ...project, key: apiKey })
    await endKeys(world.service.deps)
    await setEnd(project.key, '59 minutes')
    await Promise.all([endKeys(world.service.deps), endKeys(world.service.deps)])
    expect((await reader.until('key.ending')).data).toMatchObject({ prefix: prefixOf(project.key) })
    reader.close()
    const told = (await admin.audit(project.id)).filter(({ action }) => action === 'key.ending')
    expect(told.map(({ summary }) => summary)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^The replaced API key ${prefixOf(project.key)} of .+ expires at .+ Uses since it was replaced: 0\\.$`,
        ),
      ),
    ])
  })

  test('the end of one key ends its streams alone, while the others hear of it and go on', async () => {
    const { project } = await given()
    const old = await openEvents(world.url, project)
    const { apiKey } = await regenerate(project, { graceSec: 600 })
    const current = await openEvents(world.url, { ...project, key: apiKey })
    expect((await old.until('key.ending')).data).toMatchObject({ prefix: prefixOf(project.key) })
    await setEnd(project.key, '0 seconds')
    await endKeys(world.service.deps)
    await old.ended
    expect((await current.until('key.ended')).data).toMatchObject({
      prefix: prefixOf(project.key),
      reason: 'expired',
    })
    await givenSession(world, { ...project, key: apiKey }, demo.users.joon)
    await call(world.url, 'POST', '/api/auth/logout-all', {
      key: apiKey,
      body: { memberId: demo.users.joon },
    })
    await current.until('session.revoked')
    expect(current.types()).not.toContain('project.disabled')
    current.close()
  })
})
