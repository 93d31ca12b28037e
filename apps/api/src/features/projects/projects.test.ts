import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { authorizePath, givenAdmin, givenProject, givenSession, validate } from '../../../test/given.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { sql } from '../../platform/db/sql.ts'

const webhookUrl = `https://discord.com/api/webhooks/1202796037459279874/${'a'.repeat(68)}`

describe.each(mainEngines)('projects on %s', (engine) => {
  let world: World
  let token: string
  beforeAll(async () => {
    world = await startWorld(engine, { PERMISSION_TTL_MS: '3600000' })
    token = await givenAdmin(world)
  })
  afterAll(() => world.close())

  const admin = (method: string, path: string, body?: unknown) =>
    call(world.url, method, `/api/admin/projects${path}`, { token, ...(body !== undefined && { body }) })
  const create = (body: object) => admin('POST', '', body)
  const entries = async () => {
    const row = await world.service.deps.db.maybeOne<{ n: number }>(sql`select count(*) as n from audit_log`)
    return row?.n ?? 0
  }

  describe('POST /api/admin/projects', () => {
    test('answers the key once, grants the main server with all scopes, and leaves one audit entry', async () => {
      const before = await entries()
      const { status, body } = await create({ name: 'Ferry times', description: 'When it sails', webhookUrl })
      expect(status).toBe(201)
      expect(body.apiKey).toMatch(/^rck_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$/)
      expect(body.project).toMatchObject({
        name: 'Ferry times',
        isActive: true,
        isInternal: false,
        webhookUrl: 'https://discord.com/…',
      })
      expect(body.project.serverAccess).toMatchObject([
        { serverId: demo.mainGuildId, isMainServer: true, scopes: ['read_members', 'check_permissions'] },
      ])
      expect(await entries()).toBe(before + 1)
      const dump = JSON.stringify(await world.service.deps.db.query(sql`select * from api_keys`))
      expect(dump).not.toContain(body.apiKey)
    })

    test('with an empty serverAccess grants nothing', async () => {
      expect((await create({ name: 'Hermit', serverAccess: [] })).body.project.serverAccess).toEqual([])
    })

    test('refuses a taken name in any case, and writes nothing', async () => {
      await create({ name: 'Taken' })
      const before = await entries()
      expect((await create({ name: 'tAKEN' })).body).toMatchObject({
        code: 'PROJECT_NAME_TAKEN',
        errors: [{ path: '/name', code: 'TAKEN' }],
      })
      expect(await entries()).toBe(before)
    })

    test('of twenty simultaneous creations with one name exactly one succeeds', async () => {
      const replies = await Promise.all(Array.from({ length: 20 }, () => create({ name: 'Rush' })))
      expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
    })

    test.each([
      [{ name: '' }],
      [{ name: '   ' }],
      [{ name: ' padded' }],
      [{ name: 'a\u0000b' }],
      [{ name: 'x'.repeat(101) }],
      [{ name: 5 }],
      [{}],
      [{ name: 'Unknown key', isSystemAdmin: true }],
      [{ name: 'Bad schema', inboundWebhook: { name: 'x', schema: { $async: true } } }],
      [{ name: 'Unknown server', serverAccess: [{ serverId: '1100000000000000009' }] }],
      [{ name: 'Twice', serverAccess: [{ serverId: demo.mainGuildId }, { serverId: demo.mainGuildId }] }],
      [{ name: 'Scope', serverAccess: [{ serverId: demo.mainGuildId, scopes: ['everything'] }] }],
      [{ name: 'Elsewhere', webhookUrl: 'https://evil.example/api/webhooks/1202796037459279874/abc' }],
      [
        {
          name: 'Host trick',
          webhookUrl: 'https://discord.com.evil.example/api/webhooks/1202796037459279874/abc',
        },
      ],
      [
        {
          name: 'User trick',
          webhookUrl: 'https://discord.com@evil.example/api/webhooks/1202796037459279874/abc',
        },
      ],
      [{ name: 'Plain', webhookUrl: 'http://discord.com/api/webhooks/1202796037459279874/abc' }],
      [{ name: 'Not a webhook', webhookUrl: 'https://discord.com/api/users/@me' }],
    ])('refuses %j with every problem named, and writes nothing', async (body) => {
      const before = await entries()
      const reply = await create(body)
      expect(reply.status).toBe(400)
      expect(reply.body.errors.length).toBeGreaterThan(0)
      expect(await entries()).toBe(before)
    })
  })

  describe('GET /api/admin/projects', () => {
    test('filters by state and by part of the name, where every character stands for itself', async () => {
      for (const name of ['100% sure', '100 sure', 'under_score', 'underXscore', 'back\\slash', "O'Neil"])
        await create({ name })
      const named = async (name: string) =>
        (await admin('GET', `?${new URLSearchParams({ name })}`)).body.data.map(
          (one: { name: string }) => one.name,
        )
      expect(await named('100%')).toEqual(['100% sure'])
      expect(await named('UNDER_')).toEqual(['under_score'])
      expect(await named('k\\s')).toEqual(['back\\slash'])
      expect(await named("o'n")).toEqual(["O'Neil"])
      expect(await named("' or 1=1 --")).toEqual([])
      await create({ name: 'Asleep', isActive: false, isInternal: true })
      expect(
        (await admin('GET', '?isActive=false')).body.data.map((one: { name: string }) => one.name),
      ).toEqual(['Asleep'])
      expect((await admin('GET', '?isInternal=true')).body.total).toBe(1)
    })

    test.each([
      '?isActive=1',
      '?isActive=TRUE',
      '?isActive=',
      '?isActive=true&isActive=false',
      '?nope=1',
      '?limit=0x10',
    ])('refuses %s', async (query) => {
      expect((await admin('GET', query)).status).toBe(400)
    })
  })

  describe('PATCH /api/admin/projects/{id}', () => {
    test('changes what is given, tells before and after, and leaves no trace of what changes nothing', async () => {
      const { project } = (await create({ name: 'Patched', webhookUrl })).body
      const before = await entries()
      const same = await admin('PATCH', `/${project.id}`, { name: 'Patched', isActive: true, webhookUrl })
      expect(same.status).toBe(200)
      expect(await entries()).toBe(before)
      const changed = await admin('PATCH', `/${project.id}`, { description: 'new', webhookUrl: null })
      expect(changed.body).toMatchObject({ description: 'new', webhookUrl: null })
      const [entry] = await world.service.deps.db.query<{ changes: object }>(
        sql`select changes from audit_log order by seq desc limit 1`,
      )
      expect(entry?.changes).toEqual({
        description: { before: null, after: 'new' },
        webhookUrl: { before: 'https://discord.com', after: null },
      })
    })

    test('deactivation ends logins, keys and sessions at once; reactivation brings back logins and keys, and no session', async () => {
      const project = await givenProject(world)
      const session = await givenSession(world, project)
      await admin('PATCH', `/${project.id}`, { isActive: false })
      expect((await validate(world, project, session.token)).body.code).toBe('PROJECT_INACTIVE')
      expect((await call(world.url, 'GET', authorizePath(project.id))).status).toBe(403)
      expect((await call(world.url, 'GET', '/api/auth/sessions', { token: session.token })).status).toBe(401)
      await admin('PATCH', `/${project.id}`, { isActive: true })
      // Its backends were notified of the end.
      const over = await validate(world, project, session.token)
      expect([over.status, over.body.code]).toEqual([401, 'INVALID_TOKEN'])
      expect((await call(world.url, 'GET', '/api/auth/sessions', { token: session.token })).status).toBe(401)
      const again = await givenSession(world, project)
      expect((await validate(world, project, again.token)).status).toBe(200)
    })

    test('two admins racing on one record leave one state and two truthful entries', async () => {
      const { project } = (await create({ name: 'Contested' })).body
      await Promise.all(
        ['one', 'two'].map((description) => admin('PATCH', `/${project.id}`, { description })),
      )
      const rows = await world.service.deps.db.query<{
        changes: { description: { before: string; after: string } }
      }>(
        sql`select changes from audit_log where target_id = ${project.id} and action = 'project.update' order by seq`,
      )
      const [first, second] = rows.map(({ changes }) => changes.description)
      expect(first?.before).toBeNull()
      expect(second?.before).toBe(first?.after)
      expect((await admin('GET', `/${project.id}`)).body.description).toBe(second?.after)
    })
  })

  describe('keys', () => {
    test('a revoked key is refused for the next request, and restored it works again', async () => {
      const project = await givenProject(world)
      const session = await givenSession(world, project)
      expect((await validate(world, project, session.token)).status).toBe(200)
      expect((await admin('DELETE', `/${project.id}/key`)).status).toBe(204)
      expect((await validate(world, project, session.token)).body.code).toBe('INVALID_API_KEY')
      const before = await entries()
      expect((await admin('DELETE', `/${project.id}/key`)).status).toBe(204)
      expect(await entries()).toBe(before)
      expect((await admin('GET', `/${project.id}/api-key`)).body.status).toBe('revoked')
      expect((await admin('POST', `/${project.id}/restore-key`)).status).toBe(204)
      expect((await validate(world, project, session.token)).status).toBe(200)
      expect((await admin('POST', `/${project.id}/restore-key`)).body.code).toBe('NO_REVOKED_KEY')
    })

    test('of ten simultaneous regenerations exactly one key works, and the old one never again', async () => {
      const project = await givenProject(world)
      const session = await givenSession(world, project)
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => admin('POST', `/${project.id}/regenerate-api-key`)),
      )
      const keys = [project.key, ...replies.map(({ body }) => body.apiKey as string)]
      const statuses = await Promise.all(
        keys.map(async (key) => (await validate(world, { ...project, key }, session.token)).status),
      )
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      expect(statuses[0]).toBe(401)
      const info = (await admin('GET', `/${project.id}/api-key`)).body
      const working = keys[statuses.indexOf(200)] ?? ''
      expect(working.startsWith(info.prefix)).toBe(true)
      await admin('POST', `/${project.id}/restore-key`)
      expect((await validate(world, project, session.token)).status).toBe(401)
    })
  })

  describe('DELETE /api/admin/projects/{id}', () => {
    test('ends key and sessions at once, frees the name, and keeps the history', async () => {
      const project = await givenProject(world, { name: 'Short-lived' })
      const session = await givenSession(world, project)
      expect((await admin('DELETE', `/${project.id}`)).status).toBe(204)
      expect((await validate(world, project, session.token)).status).toBe(401)
      expect((await admin('GET', `/${project.id}`)).status).toBe(404)
      expect((await admin('DELETE', `/${project.id}`)).status).toBe(404)
      expect((await create({ name: 'short-LIVED' })).status).toBe(201)
    })
  })

  describe('PATCH /api/admin/projects/{id}/redirect-uri', () => {
    test('replaces the list, which authorize then takes byte for byte', async () => {
      const { project } = (await create({ name: 'Redirects' })).body
      const redirectUri =
        'https://a.example/cb , https://b.example/cb?x=1,com.example.app:/cb,http://127.0.0.1:8080/cb'
      const reply = await admin('PATCH', `/${project.id}/redirect-uri`, { redirectUri })
      expect(reply.body.redirectUris).toEqual([
        'https://a.example/cb',
        'https://b.example/cb?x=1',
        'com.example.app:/cb',
        'http://127.0.0.1:8080/cb',
      ])
      const at = (redirect_uri: string) => call(world.url, 'GET', authorizePath(project.id, { redirect_uri }))
      expect((await at('https://b.example/cb?x=1')).status).toBe(302)
      expect((await at('https://b.example/cb')).body.code).toBe('REDIRECT_URI_NOT_ALLOWED')
    })

    test('names every bad entry, and one refuses the whole list', async () => {
      const { project } = (await create({ name: 'Bad redirects' })).body
      const bad = [
        'javascript:alert(1)',
        'http://site.example/',
        'https://a.example/#x',
        'https://u@a.example/',
        'https://*.example/',
        '/relative',
        'nodot:/cb',
      ]
      const reply = await admin('PATCH', `/${project.id}/redirect-uri`, {
        redirectUri: ['https://ok.example/', ...bad].join(','),
      })
      expect(reply.status).toBe(400)
      expect(reply.body.errors).toHaveLength(bad.length)
      expect((await admin('GET', `/${project.id}`)).body.redirectUris).toEqual([])
      for (const redirectUri of [
        ',,',
        ' ',
        Array.from({ length: 21 }, (_, i) => `https://a.example/${i}`).join(),
      ]) {
        expect((await admin('PATCH', `/${project.id}/redirect-uri`, { redirectUri })).status).toBe(400)
      }
    })
  })

  test.each(['', '/api-key'])(
    'an unknown project is 404 and a malformed id 400 at GET …/{id}%s',
    async (suffix) => {
      expect((await admin('GET', `/00000000-0000-7000-8000-000000000000${suffix}`)).status).toBe(404)
      expect((await admin('GET', `/not-a-uuid${suffix}`)).status).toBe(400)
    },
  )
})

describe('projects on two instances', () => {
  test('what one instance ends is ended for the next request on the other', async () => {
    const world = await startWorld('postgres', {
      PERMISSION_TTL_MS: '3600000',
      PROJECT_AUTH_TTL_MS: '3600000',
    })
    const other = await world.another()
    try {
      const token = await givenAdmin(world)
      const project = await givenProject(world)
      let session = await givenSession(world, project)
      const admin = (method: string, path: string, body?: unknown) =>
        call(world.url, method, `/api/admin/projects/${project.id}${path}`, {
          token,
          ...(body !== undefined && { body }),
        })
      const there = async () => (await validate(other, project, session.token)).status
      const changes: [() => Promise<unknown>, () => Promise<unknown>][] = [
        [() => admin('DELETE', '/key'), () => admin('POST', '/restore-key')],
        [() => admin('PATCH', '', { isActive: false }), () => admin('PATCH', '', { isActive: true })],
        [
          () => admin('DELETE', `/servers/${demo.mainGuildId}`),
          () => admin('PUT', `/servers/${demo.mainGuildId}`, {}),
        ],
      ]
      for (let round = 0; round < 20; round++) {
        for (const [end, revive] of changes) {
          expect(await there()).toBe(200)
          await end()
          expect(await there()).toBe(401)
          await revive()
          // Sessions of a project that was switched off do not come back.
          session = await givenSession(world, project)
        }
      }
      await admin('DELETE', '')
      expect(await there()).toBe(401)
    } finally {
      await world.close()
    }
  })
})
