import { demo } from '@rolecall/chat-sim'
import type { EndpointDefinition } from '@rolecall/contract'
import { beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../src/platform/db/sql.ts'
import { call } from './client.ts'
import { ciEngines, mainEngines } from './databases.ts'
import { givenAdmin, givenProject, givenSession, walkAdminLogin, walkLogin } from './given.ts'
import { addressOf, nameOf, rowsOf } from './requests.ts'
import { adminForTests, worldForTests } from './world-for-tests.ts'

const { ada, joon, yusra } = demo.users
const { captain: auditorRole, deckhand: ownerRole, guest, steward } = demo.roles

/** The endpoints of an owner. Listed again here, because the test checks the declarations. */
const project = '/api/admin/projects/{id}'
const webhooks = '/api/admin/projects/{projectId}/inbound-webhooks'
const ofOwners = [
  `GET ${project}`,
  `PATCH ${project}`,
  `GET ${project}/api-key`,
  `DELETE ${project}/key`,
  `POST ${project}/restore-key`,
  `POST ${project}/regenerate-api-key`,
  `GET ${project}/keys`,
  `POST ${project}/keys`,
  `DELETE ${project}/keys/{keyId}`,
  `PATCH ${project}/redirect-uri`,
  `POST ${project}/redirect-uris`,
  `DELETE ${project}/redirect-uris`,
  `PUT ${project}/logo`,
  `DELETE ${project}/logo`,
  `POST ${project}/rotate-events-secret`,
  `GET ${project}/event-deliveries`,
  `POST ${project}/event-deliveries/{eventId}/resend`,
  `GET ${project}/deliveries`,
  `POST ${project}/deliveries/{deliveryId}/resend`,
  `GET ${project}/logout-deliveries`,
  `POST ${project}/logout-deliveries/{deliveryId}/resend`,
  `GET ${webhooks}`,
  `POST ${webhooks}`,
  `GET ${webhooks}/{webhookId}`,
  `PATCH ${webhooks}/{webhookId}`,
  `DELETE ${webhooks}/{webhookId}`,
  `POST ${webhooks}/{webhookId}/rotate-secret`,
  `POST ${webhooks}/{webhookId}/try`,
  `GET ${webhooks}/{webhookId}/submissions`,
  `GET ${webhooks}/{webhookId}/submissions/export`,
]
const ofEveryone = [
  'GET /api/admin/profile',
  'GET /api/admin/images/{kind}/{id}/{hash}',
  'GET /api/admin/refused-logins',
]

const adminRows = rowsOf(({ auth }) => auth === 'admin')

test('what owners may call is what the contract declares, and all of it names one project', () => {
  const declared = adminRows.filter(([, { owners }]) => owners !== undefined)
  expect(declared.map(([name]) => name).sort()).toEqual([...ofOwners, ...ofEveryone].sort())
  for (const [name, { owners, path }] of declared) {
    if (!ofEveryone.includes(name)) expect(path).toContain(`/api/admin/projects/{${owners}}`)
  }
})

describe.each(ciEngines)('administrators on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '0', CHAT_AUDITOR_ROLE_ID: auditorRole })
  const admin = adminForTests(world)
  beforeEach(() => {
    for (const one of [ada, joon, yusra]) give(one, guest)
  })

  const give = (memberId: string, role: string) =>
    world.sim.world.setRoles(demo.mainGuildId, memberId, [role])
  const asAdmin = (method: string, path: string, body?: unknown) =>
    call(world.url, method, path, { ...admin, ...(body !== undefined && { body }) })
  const givenOwned = async (owners: object) => {
    const { id } = await givenProject(world, { owners })
    return id
  }
  /** Creates the session of an administrator who no longer administers anything. */
  const givenStranger = async (memberId: string) => {
    give(memberId, steward)
    const token = await walkAdminLogin(world, memberId)
    give(memberId, guest)
    return token
  }
  const ask = (one: EndpointDefinition, token: string, projectId?: string) => {
    const path = projectId
      ? one.path.replace(/^(\/api\/admin\/projects\/)\{\w+\}/, `$1${projectId}`)
      : one.path
    // Sends a body that no endpoint accepts: a permitted caller receives 400, and nothing changes.
    return call(world.url, one.method, addressOf({ ...one, path }), {
      token,
      ...(one.body && { body: { unknown: 1 } }),
    })
  }
  const isRefused = async (asked: ReturnType<typeof ask>) => {
    const { status, body } = await asked
    if (status === 401) throw new Error('the session is gone')
    return status === 403 && body.code === 'NOT_SYSTEM_ADMIN'
  }
  const profile = async (token: string) =>
    (await call(world.url, 'GET', '/api/admin/profile', { token })).body

  // Runs on one engine, because it sends 500 requests. both-engines.test.ts runs their statements on both engines.
  if (mainEngines.includes(engine)) {
    test('each endpoint lets in each kind of administrator that it declares, and no other', async () => {
      const stranger = await givenStranger(joon)
      give(ada, auditorRole)
      const auditor = await walkAdminLogin(world, ada)
      const [own, others] = [
        await givenOwned({ memberIds: [yusra] }),
        await givenOwned({ roleIds: [ownerRole] }),
      ]
      const owner = await walkAdminLogin(world, yusra)
      for (const [name, one] of adminRows) {
        const isOwners = ofOwners.includes(name)
        const isLetIn = async (token: string, projectId?: string) =>
          !(await isRefused(ask(one, token, projectId)))
        // Sends the requests concurrently, because each waits for the platform.
        const [asAdmin, asStranger, asAuditor, keepOwner, asOther] = await Promise.all([
          isLetIn(admin.token),
          isLetIn(stranger, own),
          isLetIn(auditor, own),
          isLetIn(owner, own),
          isLetIn(owner, others),
        ])
        const letIn = {
          systemAdmin: asAdmin,
          stranger: asStranger,
          auditor: asAuditor,
          owner: keepOwner,
          ownerOfAnother: asOther,
        }
        expect({ name, ...letIn }).toEqual({
          name,
          systemAdmin: true,
          stranger: false,
          auditor: one.method === 'GET' || one.isRead === true,
          owner: isOwners || ofEveryone.includes(name),
          ownerOfAnother: ofEveryone.includes(name),
        })
      }
    })
  }

  test('an owner sends what is theirs to change, and nothing that opens more', async () => {
    const id = await givenOwned({ memberIds: [yusra] })
    const token = await walkAdminLogin(world, yusra)
    const patch = (body: object) => call(world.url, 'PATCH', `/api/admin/projects/${id}`, { token, body })
    const before = (await asAdmin('GET', `/api/admin/projects/${id}`)).body
    for (const body of [
      { owners: { memberIds: [yusra, joon] } },
      { isInternal: true },
      { isActive: false },
      { name: 'Another' },
      { description: 'Changed', isInternal: true },
    ]) {
      const reply = await patch(body)
      expect([reply.status, reply.body.code], JSON.stringify(body)).toEqual([403, 'NOT_SYSTEM_ADMIN'])
    }
    expect((await asAdmin('GET', `/api/admin/projects/${id}`)).body).toEqual(before)
    const changed = await patch({ description: 'Changed', eventsUrl: 'https://crew.example/events' })
    expect(changed.body).toMatchObject({ description: 'Changed', eventsUrl: 'https://crew.example/events' })
  })

  test('an auditor reads addresses of receivers up to their host, in the record and in the audit log', async () => {
    const eventsUrl = 'https://events.example.org/hook/a-token'
    const backchannelLogoutUri = 'https://logout.example.org/hook/a-token'
    const oidc = { enabled: true, backchannelLogoutUri }
    const { id } = await givenProject(world)
    const token = await givenAdmin(world)
    const path = `/api/admin/projects/${id}`
    const changed = await call(world.url, 'PATCH', path, { token, body: { eventsUrl, oidc } })
    expect(changed.status, changed.text).toBe(200)
    expect((await call(world.url, 'GET', path, { token })).body).toMatchObject({ eventsUrl, oidc })
    give(ada, auditorRole)
    const auditor = await walkAdminLogin(world, ada)
    for (const address of [path, '/api/admin/projects', '/api/admin/audit/logs?limit=500']) {
      const { status, text } = await call(world.url, 'GET', address, { token: auditor })
      expect(
        [status, text.includes('https://logout.example.org'), text.includes('a-token')],
        address,
      ).toEqual([200, true, false])
    }
  })

  test('what an auditor may read is decided by the role of now', async () => {
    give(ada, auditorRole)
    const token = await walkAdminLogin(world, ada)
    const read = async () => (await call(world.url, 'GET', '/api/admin/projects', { token })).status
    expect(await profile(token)).toMatchObject({ isSystemAdmin: false, isAuditor: true, ownedProjects: [] })
    expect(await read()).toBe(200)
    give(ada, guest)
    expect(await read()).toBe(403)
    give(ada, auditorRole)
    expect(await read()).toBe(200)
  })

  test('who owns a project is decided by its owners and the roles of now', async () => {
    const id = await givenOwned({ roleIds: [ownerRole] })
    give(joon, ownerRole)
    const token = await walkAdminLogin(world, joon)
    const read = async () => (await call(world.url, 'GET', `/api/admin/projects/${id}`, { token })).status
    expect(await profile(token)).toMatchObject({
      isSystemAdmin: false,
      isAuditor: false,
      ownedProjects: expect.arrayContaining([{ id, name: expect.any(String) }]),
    })
    expect(await read()).toBe(200)
    give(joon, guest)
    expect(await read()).toBe(403)
    expect(
      (await asAdmin('PATCH', `/api/admin/projects/${id}`, { owners: { memberIds: [joon] } })).body.owners,
    ).toEqual({
      roleIds: [],
      memberIds: [joon],
    })
    expect(await read()).toBe(200)
    const [entry] = await world.service.deps.db.query<{ changes: object }>(sql`
      select changes from audit_log where target_id = ${id} order by seq desc limit 1`)
    expect(entry?.changes).toEqual({
      owners: { before: { roleIds: [ownerRole], memberIds: [] }, after: { roleIds: [], memberIds: [joon] } },
    })
    await asAdmin('PATCH', `/api/admin/projects/${id}`, { owners: {} })
    expect(await read()).toBe(403)
    await asAdmin('PATCH', `/api/admin/projects/${id}`, { owners: { memberIds: [joon] } })
    await asAdmin('DELETE', `/api/admin/projects/${id}`)
    expect(await read()).toBe(403)
  })

  test('an owner’s session of a project administers nothing', async () => {
    const id = await givenOwned({ memberIds: [yusra] })
    const { token } = await givenSession(world, await givenProject(world), yusra)
    expect((await call(world.url, 'GET', `/api/admin/projects/${id}`, { token })).status).toBe(403)
  })

  test('who has nothing to administer is refused at the login', async () => {
    await world.service.deps.db.execute(sql`update project_owners set role_ids = '{}', member_ids = '{}'`)
    await expect(walkLogin(world, '/api/auth/admin/login', { as: ada })).rejects.toThrow('answered 403')
  })

  test.each([
    { memberIds: ['x'] },
    { roleIds: [ownerRole, ownerRole] },
    { roleIds: ownerRole },
    { other: [] },
  ])('owners that are none are refused: %j', async (owners) => {
    const id = await givenOwned({})
    const reply = await asAdmin('PATCH', `/api/admin/projects/${id}`, { owners })
    expect([reply.status, reply.body.code]).toEqual([400, 'VALIDATION_FAILED'])
  })
})

test('every endpoint of the administration is in the loop', () => {
  expect(adminRows.map(([, one]) => nameOf(one)).length).toBeGreaterThan(50)
})
