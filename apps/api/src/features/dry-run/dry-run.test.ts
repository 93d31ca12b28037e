import { demo } from '@rolecall/chat-sim'
import { beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { everythingStored } from '../../../test/everything-stored.ts'
import {
  authorizePath,
  exchange,
  type GivenProject,
  givenAdmin,
  givenProject,
  givenSession,
  redirectUri,
  validate,
  walkLogin,
} from '../../../test/given.ts'
import { contactSchema, givenWebhook, submit } from '../../../test/given-webhook.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'
import { createProject } from '../projects/create-project.ts'

const { mainGuildId: club, gamesGuildId: games, users } = demo
const projects = '/api/admin/projects'

interface Held {
  readonly project: GivenProject
  readonly token: string
  readonly member: string
}

describe.each(mainEngines)('a dry run on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  /** Internal; may use the games server by a mapping. */
  let inside: GivenProject
  /** May use both servers by mappings. */
  let outside: GivenProject
  let webhookId: string
  let held: Held[]
  let rounds = 0

  const administrator = adminForTests(world)

  const admin = (method: string, path: string, body?: unknown) =>
    call(world.url, method, path, { ...administrator, ...(body !== undefined && { body }) })

  /** Returns a session in the games server, from a sign-in there. */
  async function gamesSession(project: GivenProject, as: string): Promise<string> {
    const end = await walkLogin(world, authorizePath(project.id, { server_id: games }), { as })
    const { status, body, text } = await exchange(world, project, end.searchParams.get('code') ?? '')
    expect(status, text).toBe(200)
    return body.token
  }

  beforeEach(async () => {
    // Ends the sessions of the test before: actions on a server end sessions of all projects.
    await world.service.deps.db.execute(sql`
      update sessions set revoked_at = clock_now() where project_id is not null and revoked_at is null`)
    await admin('POST', '/api/admin/servers', { id: games })
    await admin('PATCH', `/api/admin/servers/${club}`, { isMain: true })
    const { id, apiKey } = await createProject(
      world.service.deps,
      {},
      { name: `Inside ${rounds++}`, isInternal: true, redirectUris: [redirectUri] },
    )
    inside = { id, key: apiKey }
    await admin('PUT', `${projects}/${id}/servers/${games}`, {})
    outside = await givenProject(world, { serverIds: [club, games] })
    const webhook = await givenWebhook(world, outside, { schema: contactSchema })
    webhookId = webhook.id
    for (const name of ['Ada', 'Joon', 'Mara']) {
      expect((await submit(world, outside, webhookId, { body: { name } })).status).toBe(201)
    }
    held = []
    for (const project of [inside, outside]) {
      for (const member of [users.ada, users.joon, users.joon]) {
        held.push({ project, member, token: (await givenSession(world, project, member)).token })
      }
      for (const member of [users.joon, users.noor]) {
        held.push({ project, member, token: await gamesSession(project, member) })
      }
    }
  })

  const validating = async () => {
    const good: Held[] = []
    for (const one of held) {
      if ((await validate(world, one.project, one.token)).status === 200) good.push(one)
    }
    return good
  }
  const keyWorks = async (key: string) =>
    (await call(world.url, 'POST', '/api/auth/logout', { key, body: { token: 'none' } })).status === 200

  interface Act {
    readonly title: string
    readonly method: string
    readonly path: () => string | Promise<string>
    readonly body?: unknown
    /**
     * Returns the numbers of sessions, members, keys, and submissions, to prove that the test itself has some to end.
     */
    readonly expected: readonly [number, number, number, number]
  }
  const ofOutside =
    (rest = '') =>
    () =>
      `${projects}/${outside.id}${rest}`
  const webhookPath = () => `${projects}/${outside.id}/inbound-webhooks/${webhookId}`

  const acts: readonly Act[] = [
    {
      title: 'PATCH of a project that deactivates it',
      ...{ method: 'PATCH', path: ofOutside(), body: { isActive: false }, expected: [5, 3, 1, 0] },
    },
    {
      title: 'PATCH of a project that ends nothing',
      ...{ method: 'PATCH', path: ofOutside(), body: { description: 'New words' }, expected: [0, 0, 0, 0] },
    },
    {
      title: 'PATCH of a project that is internal no more',
      ...{ method: 'PATCH', path: () => `${projects}/${inside.id}`, body: { isInternal: false } },
      expected: [3, 2, 0, 0],
    },
    {
      title: 'DELETE of a project',
      ...{ method: 'DELETE', path: ofOutside(), expected: [5, 3, 1, 0] },
    },
    {
      title: 'DELETE of the only key',
      ...{ method: 'DELETE', path: ofOutside('/key'), expected: [5, 3, 1, 0] },
    },
    {
      title: 'DELETE of one key of two',
      method: 'DELETE',
      path: async () => {
        await admin('POST', `${projects}/${outside.id}/keys`)
        return `${projects}/${outside.id}/key`
      },
      expected: [0, 0, 1, 0],
    },
    {
      title: 'DELETE of a key by its id',
      method: 'DELETE',
      path: async () => {
        const { body } = await admin('GET', `${projects}/${outside.id}/keys`)
        return `${projects}/${outside.id}/keys/${body.data[0].id}`
      },
      expected: [5, 3, 1, 0],
    },
    {
      title: 'DELETE of a mapping',
      ...{ method: 'DELETE', path: ofOutside(`/servers/${club}`), expected: [3, 2, 0, 0] },
    },
    {
      title: 'PUT of a mapping that takes READ away',
      ...{ method: 'PUT', path: ofOutside(`/servers/${games}`), body: { operations: { READ: false } } },
      expected: [2, 2, 0, 0],
    },
    {
      title: 'PUT of a mapping that ends no session',
      ...{ method: 'PUT', path: ofOutside(`/servers/${games}`), body: { scopes: [] } },
      expected: [0, 0, 0, 0],
    },
    {
      title: 'PATCH of a server that takes the main flag away',
      ...{ method: 'PATCH', path: () => `/api/admin/servers/${club}`, body: { isMain: false } },
      expected: [3, 2, 0, 0],
    },
    {
      title: 'DELETE of a server',
      ...{ method: 'DELETE', path: () => `/api/admin/servers/${games}`, expected: [4, 2, 0, 0] },
    },
    {
      title: 'PATCH of a webhook',
      ...{ method: 'PATCH', path: webhookPath, body: { isActive: false }, expected: [0, 0, 0, 0] },
    },
    {
      title: 'DELETE of a webhook',
      ...{ method: 'DELETE', path: webhookPath, expected: [0, 0, 0, 3] },
    },
  ]

  test.each(acts)('of $title tells what it then does, and does nothing', async (act) => {
    const path = await act.path()
    const before = await validating()
    expect(before).toHaveLength(10)
    const stored = await everythingStored(world.service.deps.db)

    const dry = await admin(act.method, `${path}?dryRun=true`, act.body)
    expect(dry.status, dry.text).toBe(200)
    expect(await everythingStored(world.service.deps.db)).toEqual(stored)
    expect(await validating()).toHaveLength(10)
    const keyBefore = await keyWorks(outside.key)

    const done = await admin(act.method, path, act.body)
    expect(done.status, done.text).toBeLessThan(300)
    const after = await validating()
    const ended = before.filter((one) => !after.includes(one))
    const { sessionsEnded, membersAffected, keysEnded, submissionsDeleted } = dry.body
    expect(dry.body).toEqual({
      ...{ dryRun: true, sessionsEnded, membersAffected, keysEnded, submissionsDeleted },
      ...{ clientSessionsEnded: 0, clientSessionsTold: 0, hostsEnded: 0 },
    })
    expect([sessionsEnded, membersAffected]).toEqual([
      ended.length,
      new Set(ended.map(({ member }) => member)).size,
    ])
    if (keysEnded === 0) expect(await keyWorks(outside.key)).toBe(keyBefore)
    expect([sessionsEnded, membersAffected, keysEnded, submissionsDeleted]).toEqual(act.expected)
  })

  test('is refused as the change is, to the same callers, and makes nothing of other values', async () => {
    const member = await givenSession(world, outside)
    const stored = await everythingStored(world.service.deps.db)
    const path = `${projects}/${outside.id}`
    const dry = `${path}?dryRun=true`
    expect((await call(world.url, 'DELETE', dry)).status).toBe(401)
    expect((await call(world.url, 'DELETE', dry, { token: member.token })).status).toBe(403)
    expect((await admin('DELETE', `${projects}/${webhookId}?dryRun=true`)).body.code).toBe(
      'PROJECT_NOT_FOUND',
    )
    expect((await admin('DELETE', `/api/admin/servers/${club}?dryRun=true`)).body.code).toBe(
      'MAIN_SERVER_REQUIRED',
    )
    expect(
      (await admin('PATCH', `/api/admin/servers/${games}?dryRun=true`, { isMain: true })).body.code,
    ).toBe('MAIN_SERVER_EXISTS')
    const taken = (await admin('GET', `${projects}/${inside.id}`)).body.name
    expect((await admin('PATCH', dry, { name: taken })).body.code).toBe('PROJECT_NAME_TAKEN')
    for (const value of ['', '1', 'yes', 'TRUE', 'true,false', 'true&dryRun=true', 'true&other=1']) {
      expect((await admin('DELETE', `${path}?dryRun=${value}`)).body.code, value).toBe('VALIDATION_FAILED')
    }
    expect(await everythingStored(world.service.deps.db)).toEqual(stored)
    expect((await admin('DELETE', `${path}?dryRun=false`)).status).toBe(204)
    expect((await admin('GET', path)).status).toBe(404)
  })
})

describe('a dry run on postgres', () => {
  const world = worldForTests('postgres', { PERMISSION_TTL_MS: '3600000' })

  test('of a server does not wait for a change of one of its members', async () => {
    const token = await givenAdmin(world)
    const path = `/api/admin/servers/${club}`
    await world.service.deps.db.transaction(async (tx) => {
      await tx.execute({ text: 'select from members for update', values: [] })
      await tx.execute({ text: 'select from sessions for update', values: [] })
      await tx.execute({ text: 'select from audit_head for update', values: [] })
      const body = { isMain: false }
      const reply = await call(world.url, 'PATCH', `${path}?dryRun=true`, { token, body })
      expect(reply.body).toMatchObject({ dryRun: true })
    })
  })
})
