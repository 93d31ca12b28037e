import { demo } from '@rolecall/chat-sim'
import { beforeEach, describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { type GivenProject, givenAdmin, givenProject } from '../../../test/given.ts'
import { contactSchema, givenWebhook, sign, submit } from '../../../test/given-webhook.ts'
import { startWorld } from '../../../test/service.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'

describe.each(mainEngines)('inbound webhooks on %s', (engine) => {
  let project: GivenProject
  const world = worldForTests(engine, { MAX_WEBHOOKS_PER_PROJECT: '3' })
  const administrator = adminForTests(world)
  beforeEach(async () => {
    project = await givenProject(world)
  })

  const path = (rest = '', id = project.id) => `/api/admin/projects/${id}/inbound-webhooks${rest}`
  const admin = (method: string, rest = '', body?: unknown, id = project.id) =>
    call(world.url, method, path(rest, id), { ...administrator, ...(body !== undefined && { body }) })
  const entries = async (targetId: string) =>
    world.service.deps.db.query<{ action: string; text: string }>(sql`
      select action, summary || coalesce(changes::text, '') as text from audit_log
      where target_id = ${targetId} and action_type = 'webhook' order by seq`)
  const statusOf = ({ status, body }: { status: number; body: { code?: string } | undefined }) =>
    body?.code ? `${status} ${body.code}` : String(status)

  test('create answers the whole record and, once, the secret that signs submissions', async () => {
    const input = {
      name: 'Contact form',
      schema: contactSchema,
      acceptedOrigins: ['https://site.example'],
      allowedRoleIds: [demo.roles.crew],
      requireSignature: true,
    }
    const created = await admin('POST', '', input)
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      ...input,
      projectId: project.id,
      slug: 'contact-form',
      isActive: true,
      submissionCount: 0,
      lastSubmissionAt: null,
    })
    expect(created.body.secret).toMatch(/^whsec_[\w-]{43}$/)
    const headers = { ...sign(created.body.secret, '{"name":"Ada"}'), origin: 'https://site.example' }
    const sent = await submit(world, project, 'contact-form', { raw: '{"name":"Ada"}', headers })
    expect(sent.status).toBe(201)

    const { secret, ...record } = created.body
    const shown = await admin('GET', `/${record.id}`)
    expect(shown.body).toEqual({ ...record, submissionCount: 1, lastSubmissionAt: sent.body.receivedAt })
    const listed = await admin('GET')
    expect(listed.body).toEqual({ data: [shown.body], total: 1 })
    expect(shown.text + listed.text + JSON.stringify(await entries(record.id))).not.toContain(secret)
    expect((await entries(record.id)).map(({ action }) => action)).toEqual(['webhook.create'])
  })

  test('those of all projects are one list, newest first, narrowed by either name, without schemas and deleted projects', async () => {
    const other = await givenProject(world, { name: 'Tide tables' })
    const own = (await admin('POST', '', { name: 'Contact form', schema: {} })).body
    const wanted = (await admin('POST', '', { name: 'Measures', schema: {} }, other.id)).body
    const list = async (query = '') =>
      (await call(world.url, 'GET', `/api/admin/inbound-webhooks${query}`, administrator)).body
    const { data, total } = await list('?limit=2')
    expect(total).toBeGreaterThanOrEqual(2)
    expect(data).toEqual([
      expect.objectContaining({
        id: wanted.id,
        projectId: other.id,
        projectName: 'Tide tables',
        submissionCount: 0,
      }),
      expect.objectContaining({ id: own.id, projectId: project.id }),
    ])
    expect(JSON.stringify(data)).not.toMatch(/schema|whsec_/)
    expect((await list('?limit=1&offset=1')).data[0].id).toBe(own.id)
    for (const part of ['TIDE', 'measur']) {
      expect((await list(`?name=${part}`)).data.map(({ id }: { id: string }) => id)).toEqual([wanted.id])
    }
    await call(world.url, 'DELETE', `/api/admin/projects/${other.id}`, administrator)
    expect(await list('?name=tide')).toEqual({ data: [], total: 0 })
  })

  test('the secret is stored sealed', async () => {
    const hook = await givenWebhook(world, project)
    const row = await world.service.deps.db.maybeOne<{ sealed: Uint8Array }>(sql`
      select secret_sealed as sealed from inbound_webhooks where id = ${hook.id}`)
    expect(Buffer.from(row?.sealed ?? []).includes(hook.secret.slice(6))).toBe(false)
  })

  test('an update changes what is given, at once, and leaves one entry; none when nothing changed', async () => {
    const hook = await givenWebhook(world, project)
    const raw = '{"name":"Ada"}'
    expect(statusOf(await submit(world, project, hook.id, { raw }))).toBe('201')
    const schema = { type: 'object', required: ['colour'] }
    const changed = await admin('PATCH', `/${hook.id}`, { schema, name: 'Colours', slug: 'colours' })
    expect(changed.body).toMatchObject({ name: 'Colours', slug: 'colours', schema })
    expect(statusOf(await submit(world, project, 'colours', { raw }))).toBe('422 PAYLOAD_INVALID')
    expect(statusOf(await submit(world, project, hook.slug, { raw }))).toBe('404 WEBHOOK_NOT_FOUND')
    expect((await admin('PATCH', `/${hook.id}`, { isActive: false })).body.isActive).toBe(false)
    expect(statusOf(await submit(world, project, hook.id, { raw }))).toBe('410 WEBHOOK_INACTIVE')
    await admin('PATCH', `/${hook.id}`, { isActive: false, name: 'Colours' })
    await admin('PATCH', `/${hook.id}`, {})
    const log = await entries(hook.id)
    expect(log.map(({ action }) => action)).toEqual(['webhook.create', 'webhook.update', 'webhook.update'])
    expect(log[1]?.text).toContain('name, slug, schema')
    expect(log[2]?.text).toContain('isActive')
  })

  test('a rotated secret is the only one from then on', async () => {
    const hook = await givenWebhook(world, project)
    const { status, body } = await admin('POST', `/${hook.id}/rotate-secret`)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['secret'])
    const send = (secret: string) =>
      submit(world, project, hook.id, { raw: '{"name":"r"}', headers: sign(secret, '{"name":"r"}') })
    expect(statusOf(await send(hook.secret))).toBe('401 SIGNATURE_INVALID')
    expect(statusOf(await send(body.secret))).toBe('201')
    const log = await entries(hook.id)
    expect(log.map(({ action }) => action)).toEqual(['webhook.create', 'webhook.rotate'])
    expect(JSON.stringify(log)).not.toContain(body.secret)
  })

  test('what is deleted is gone, its slug and its place are free, and its submissions are cleaned up', async () => {
    const hook = await givenWebhook(world, project, { slug: 'form' })
    await submit(world, project, hook.id, { body: { name: 'x' } })
    expect((await admin('DELETE', `/${hook.id}`)).status).toBe(204)
    for (const [method, rest] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/rotate-secret'],
      ['GET', '/submissions'],
      ['GET', '/submissions/export'],
    ] as const) {
      const body = method === 'PATCH' ? {} : undefined
      expect(statusOf(await admin(method, `/${hook.id}${rest}`, body)), method + rest).toBe(
        '404 WEBHOOK_NOT_FOUND',
      )
    }
    expect(statusOf(await submit(world, project, 'form', { body: { name: 'x' } }))).toBe(
      '404 WEBHOOK_NOT_FOUND',
    )
    expect((await admin('POST', '', { name: 'n', slug: 'form', schema: {} })).status).toBe(201)
    expect((await entries(hook.id)).map(({ action }) => action)).toEqual(['webhook.create', 'webhook.delete'])
  })

  test('400 for a schema that is none, naming every place, and nothing is made', async () => {
    const reply = await admin('POST', '', {
      name: 'n',
      schema: {
        type: 'strin',
        properties: { a: { $async: true }, b: { pattern: '(?=x)' }, c: { $ref: 'https://x.example/s' } },
        $id: 'x',
      },
      acceptedOrigins: ['https://fine.example', 'https://not.example/'],
    })
    expect(statusOf(reply)).toBe('400 VALIDATION_FAILED')
    expect(reply.body.errors.map((error: { path: string }) => error.path).sort()).toEqual([
      '/acceptedOrigins/1',
      '/schema/$id',
      '/schema/properties/a/$async',
      '/schema/properties/b/pattern',
      '/schema/properties/c/$ref',
      '/schema/type',
    ])
    expect((await admin('GET')).body.total).toBe(0)
    const hook = await givenWebhook(world, project)
    expect(statusOf(await admin('PATCH', `/${hook.id}`, { schema: { $async: true } }))).toBe(
      '400 VALIDATION_FAILED',
    )
  })

  test('400 for slugs, origins, roles and keys that are none', async () => {
    const bad = [
      { slug: 'a/b' },
      { slug: '..' },
      { slug: 'UPPER' },
      { slug: 'ünicode' },
      { slug: '-a' },
      { slug: 'x'.repeat(65) },
      { slug: '01900000-0000-7000-8000-000000000000' },
      { acceptedOrigins: ['null'] },
      { acceptedOrigins: ['*'] },
      { acceptedOrigins: ['https://*.example'] },
      { acceptedOrigins: ['https://*'] },
      { acceptedOrigins: ['https://"'] },
      { acceptedOrigins: ["https://a'b.example"] },
      { acceptedOrigins: ['ftp://a.example'] },
      { acceptedOrigins: ['HTTPS://a.example'] },
      { allowedRoleIds: ['1'] },
      { id: '01900000-0000-7000-8000-000000000000' },
      { secret: 'whsec_mine' },
      { schema: [] },
      { schema: true },
      { name: ' ' },
    ]
    for (const more of bad) {
      const reply = await admin('POST', '', { name: 'n', schema: {}, ...more })
      expect(statusOf(reply), JSON.stringify(more)).toBe('400 VALIDATION_FAILED')
    }
    expect((await admin('GET')).body.total).toBe(0)
  })

  test('409 for a slug of the same project; another project may have it; names make slugs that are free', async () => {
    await givenWebhook(world, project, { slug: 'form' })
    expect(statusOf(await admin('POST', '', { name: 'n', slug: 'form', schema: {} }))).toBe(
      '409 WEBHOOK_SLUG_TAKEN',
    )
    const other = await givenProject(world)
    expect((await admin('POST', '', { name: 'n', slug: 'form', schema: {} }, other.id)).status).toBe(201)
    expect((await admin('POST', '', { name: 'Form!', schema: {} })).body.slug).toBe('form-2')
    const third = await admin('POST', '', { name: '日本', schema: {} })
    expect(third.body.slug).toBe('webhook')
    const refused = await admin('PATCH', `/${third.body.id}`, { slug: 'form' })
    expect(statusOf(refused)).toBe('409 WEBHOOK_SLUG_TAKEN')
    expect(refused.body.errors).toMatchObject([{ path: '/slug', code: 'TAKEN' }])
  })

  test('409 beyond the limit, also when they race for the last place', async () => {
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => admin('POST', '', { name: 'n', schema: {} })),
    )
    expect(replies.map(statusOf).sort()).toEqual([
      ...Array(3).fill('201'),
      ...Array(3).fill('409 WEBHOOK_LIMIT_REACHED'),
    ])
    expect((await admin('GET')).body.total).toBe(3)
    const { body } = await admin('POST', '', { name: 'n', schema: {} })
    expect(body.detail).toMatch(/^The project has 3 of 3 inbound webhooks\. /)
  })

  test('404 for an unknown project, and for a webhook of another', async () => {
    const nobody = '01900000-0000-7000-8000-000000000000'
    expect(statusOf(await admin('GET', '', undefined, nobody))).toBe('404 PROJECT_NOT_FOUND')
    expect(statusOf(await admin('POST', '', { name: 'n', schema: {} }, nobody))).toBe('404 PROJECT_NOT_FOUND')
    const foreign = await givenWebhook(world, await givenProject(world))
    expect(statusOf(await admin('GET', `/${foreign.id}`))).toBe('404 WEBHOOK_NOT_FOUND')
    expect(statusOf(await admin('DELETE', `/${foreign.id}`))).toBe('404 WEBHOOK_NOT_FOUND')
  })

  test('a project may be created with one, in the same transaction', async () => {
    const create = (name: string, inboundWebhook: object) =>
      call(world.url, 'POST', '/api/admin/projects', { ...administrator, body: { name, inboundWebhook } })
    const wanted = { name: 'Form', schema: contactSchema, slug: 'form', allowedRoleIds: [demo.roles.crew] }
    const made = await create('With a webhook', wanted)
    expect(made.status).toBe(201)
    const { secret, ...record } = made.body.inboundWebhook
    expect(record).toMatchObject({ ...wanted, projectId: made.body.project.id })
    const owner = { id: made.body.project.id, key: made.body.apiKey }
    const sent = { raw: '{"name":"Ada"}', headers: sign(secret, '{"name":"Ada"}') }
    expect(statusOf(await submit(world, owner, 'form', sent))).toBe('201')

    const refused = await create('Without', { name: 'x', schema: { type: 'strin' }, acceptedOrigins: ['*'] })
    expect(refused.body.errors.map((error: { path: string }) => error.path)).toEqual([
      '/inboundWebhook/acceptedOrigins/0',
      '/inboundWebhook/schema/type',
    ])
    const listed = await call(world.url, 'GET', '/api/admin/projects?name=Without', administrator)
    expect(listed.body.total).toBe(0)

    // Together with every other problem, and before the name is checked.
    const all = await call(world.url, 'POST', '/api/admin/projects', {
      ...administrator,
      body: {
        name: 'With a webhook',
        webhookUrl: 'https://evil.example/',
        serverAccess: [{ serverId: '999999999999999999' }],
        inboundWebhook: { name: 'x', schema: { type: 'strin' } },
      },
    })
    expect(all.body.errors.map((error: { path: string }) => error.path)).toEqual([
      '/webhookUrl',
      '/serverAccess/0/serverId',
      '/inboundWebhook/schema/type',
    ])
  })

  test('by key: only where MANAGE_WEBHOOKS is granted, and only its own', async () => {
    const { db } = world.service.deps
    const own = (method: string, rest = '', body?: unknown) =>
      call(world.url, method, `/api/inbound-webhooks${rest}`, {
        key: project.key,
        ...(body !== undefined && { body }),
      })
    const foreign = await givenWebhook(world, await givenProject(world))
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['POST', '', { name: 'n', schema: {} }],
      ['GET', `/${foreign.id}`, undefined],
      ['DELETE', '/x', undefined],
    ] as const) {
      expect(statusOf(await own(method, rest, body)), method).toBe('403 OPERATION_REQUIRED')
    }
    await db.execute(
      sql`update server_access set can_manage_webhooks = true where project_id = ${project.id}`,
    )
    const created = await own('POST', '', { name: 'Mine', schema: {} })
    expect(created.status).toBe(201)
    expect((await own('GET')).body.total).toBe(1)
    expect((await own('GET', '/mine')).body.id).toBe(created.body.id)
    expect((await own('PATCH', '/mine', { name: 'Ours' })).body.name).toBe('Ours')
    expect((await own('POST', '/mine/rotate-secret')).body.secret).toMatch(/^whsec_/)
    expect(statusOf(await own('GET', `/${foreign.id}`))).toBe('404 WEBHOOK_NOT_FOUND')
    expect((await own('DELETE', '/mine')).status).toBe(204)
    expect((await entries(created.body.id)).map(({ action }) => action)).toEqual([
      'webhook.create',
      'webhook.update',
      'webhook.rotate',
      'webhook.delete',
    ])
  })

  test('by key: not by a grant in a server that was removed', async () => {
    const { gamesGuildId } = demo
    const server = (method: string, rest = '', body?: object) =>
      call(world.url, method, `/api/admin/servers${rest}`, { ...administrator, ...(body && { body }) })
    expect((await server('POST', '', { id: gamesGuildId })).status).toBe(201)
    const one = await givenProject(world, { serverIds: [gamesGuildId] })
    await world.service.deps.db.execute(
      sql`update server_access set can_manage_webhooks = true where project_id = ${one.id}`,
    )
    const list = () => call(world.url, 'GET', '/api/inbound-webhooks', { key: one.key })
    expect((await list()).status).toBe(200)
    expect((await server('DELETE', `/${gamesGuildId}`)).status).toBeLessThan(300)
    expect(statusOf(await list())).toBe('403 OPERATION_REQUIRED')
  })
})

describe('without an inbound encryption key', () => {
  test('500 ENCRYPTION_KEY_MISSING for create and rotate, and nothing is half made', async () => {
    const world = await startWorld('pglite')
    const project = await givenProject(world)
    const hook = await givenWebhook(world, project)
    const token = await givenAdmin(world)
    Object.assign(world.service.config, { inboundKey: undefined })
    const path = `/api/admin/projects/${project.id}/inbound-webhooks`
    for (const [address, body] of [
      [path, { name: 'n', schema: {} }],
      [`${path}/${hook.id}/rotate-secret`, undefined],
    ] as const) {
      const reply = await call(world.url, 'POST', address, { token, ...(body && { body }) })
      expect([reply.status, reply.body.code]).toEqual([500, 'ENCRYPTION_KEY_MISSING'])
      expect(reply.body.detail).toMatch(
        /^The inbound-webhook encryption key is not configured\. .*INBOUND_WEBHOOK_ENCRYPTION_KEY/,
      )
    }
    expect((await call(world.url, 'GET', path, { token })).body.total).toBe(1)
    await world.close()
  })

  test('500 ENCRYPTION_KEY_MISSING for a signed submission, and not that it was another key', async () => {
    const world = await startWorld('postgres')
    const project = await givenProject(world)
    const hook = await givenWebhook(world, project)
    const { url } = await world.another({ INBOUND_WEBHOOK_ENCRYPTION_KEY: '' })
    const raw = '{"name":"Ada"}'
    const reply = await submit({ url }, project, hook.id, { raw, headers: sign(hook.secret, raw) })
    expect([reply.status, reply.body.code]).toEqual([500, 'ENCRYPTION_KEY_MISSING'])
    expect(reply.body.detail).toContain('The inbound-webhook encryption key')
    expect((await submit({ url }, project, hook.id, { raw })).status).toBe(201)
    await world.close()
  })
})
