import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { authorizePath, givenAdmin, givenProject, givenSession, validate } from '../../../test/given.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

describe.each(mainEngines)('access on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  let token: string
  beforeAll(async () => {
    token = await givenAdmin(world)
  })

  const admin = (method: string, path: string, body?: unknown) =>
    call(world.url, method, `/api/admin/projects${path}`, { token, ...(body !== undefined && { body }) })
  const at = (project: { id: string }, serverId: string = demo.mainGuildId) =>
    `/${project.id}/servers/${serverId}`
  const trail = async (project: { id: string }) =>
    (await admin('GET', `/access/audit?projectId=${project.id}`)).body
  const audited = async (project: { id: string }) =>
    (
      await world.service.deps.db.query(
        sql`select from audit_log where target_id = ${project.id} and action_type = 'permission'`,
      )
    ).length

  test('PUT grants with READ and all scopes, then changes only what is named', async () => {
    const project = await givenProject(world, { serverIds: [] })
    const granted = await admin('PUT', at(project), {})
    expect(granted.body).toMatchObject({
      operations: { READ: true, SEND_MESSAGES: false, MANAGE_WEBHOOKS: false },
      scopes: ['read_members', 'check_permissions'],
      isMainServer: true,
    })
    const changed = await admin('PUT', at(project), {
      operations: { SEND_MESSAGES: true },
      scopes: ['check_permissions'],
    })
    expect(changed.body).toMatchObject({
      operations: { READ: true, SEND_MESSAGES: true },
      scopes: ['check_permissions'],
    })
    const kept = await admin('PUT', at(project), { operations: { READ: false } })
    expect(kept.body).toMatchObject({
      operations: { READ: false, SEND_MESSAGES: true },
      scopes: ['check_permissions'],
    })
    const { data, total } = await trail(project)
    expect(total).toBe(3)
    expect(data.map((entry: { action: string }) => entry.action)).toEqual(['UPDATE', 'UPDATE', 'GRANT'])
    expect(data[1].before.scopes).toEqual(['read_members', 'check_permissions'])
    expect(data[1].after.scopes).toEqual(['check_permissions'])
  })

  test.each([
    'update access_trail set actor_id = null',
    'delete from access_trail',
    'delete from access_trail where false',
    'truncate access_trail',
  ])('the trail refuses `%s`, also from who owns the table', async (statement) => {
    await expect(world.service.deps.db.script(statement)).rejects.toThrow('append-only')
  })

  test('a PUT that changes nothing leaves no entry', async () => {
    const project = await givenProject(world)
    const before = [(await trail(project)).total, await audited(project)]
    for (const body of [
      {},
      { scopes: ['check_permissions', 'read_members'] },
      { operations: { READ: true } },
    ]) {
      expect((await admin('PUT', at(project), body)).status).toBe(200)
    }
    expect([(await trail(project)).total, await audited(project)]).toEqual(before)
  })

  test('DELETE answers the mapping as it was; login and validate stop at once', async () => {
    const project = await givenProject(world)
    const session = await givenSession(world, project)
    expect((await validate(world, project, session.token)).status).toBe(200)
    const revoked = await admin('DELETE', at(project))
    expect(revoked.body).toMatchObject({ projectId: project.id, serverId: demo.mainGuildId })
    expect((await validate(world, project, session.token)).body.code).toBe('INVALID_TOKEN')
    expect((await call(world.url, 'GET', authorizePath(project.id))).body.code).toBe('SERVER_NOT_ACCESSIBLE')
    expect((await admin('DELETE', at(project))).body.code).toBe('ACCESS_NOT_FOUND')
    expect((await trail(project)).data[0]).toMatchObject({ action: 'REVOKE', after: null })
  })

  test('an internal project reads the main server without a mapping', async () => {
    const project = await givenProject(world, { serverIds: [], isInternal: true })
    const session = await givenSession(world, project)
    expect((await validate(world, project, session.token)).status).toBe(200)
  })

  test('simultaneous PUTs and DELETEs leave a trail that tells one story', async () => {
    const project = await givenProject(world, { serverIds: [] })
    const changes = Array.from({ length: 20 }, (_, i) =>
      i % 2
        ? admin('PUT', at(project), { operations: { SEND_MESSAGES: i % 4 === 1 } })
        : admin('DELETE', at(project)),
    )
    await Promise.all(changes)
    const { data } = await trail(project)
    const story = [...data].reverse()
    let state: unknown = null
    for (const { before, after } of story) {
      expect(before).toEqual(state)
      state = after
    }
    const [mapping] = (await admin('GET', `/access/matrix?projectId=${project.id}`)).body.data
    expect(mapping ? { operations: mapping.operations, scopes: mapping.scopes } : null).toEqual(state)
    expect(await audited(project)).toBe(story.length)
  })

  test('lists by project, by server and the matrix agree, with their filters', async () => {
    const project = await givenProject(world, { name: 'Matrix_100%' })
    await admin('PUT', at(project), { scopes: ['read_members'] })
    expect((await admin('GET', `/${project.id}/servers`)).body.total).toBe(1)
    expect((await admin('GET', `/${project.id}/servers?scope=check_permissions`)).body.total).toBe(0)
    const byServer = await admin(
      'GET',
      `/servers/${demo.mainGuildId}/projects?scope=read_members&isActive=true`,
    )
    expect(byServer.body.data.map((row: { projectId: string }) => row.projectId)).toContain(project.id)
    const matrix = await admin('GET', `/access/matrix?${new URLSearchParams({ projectName: 'x_100%' })}`)
    expect(matrix.body.data).toMatchObject([{ projectName: 'Matrix_100%', scopes: ['read_members'] }])
  })

  test('unknown records are 404, malformed requests 400', async () => {
    const project = await givenProject(world)
    const unknown = '00000000-0000-7000-8000-000000000000'
    expect((await admin('PUT', `/${unknown}/servers/${demo.mainGuildId}`, {})).body.code).toBe(
      'PROJECT_NOT_FOUND',
    )
    expect((await admin('PUT', at(project, '1100000000000000009'), {})).body.code).toBe('SERVER_NOT_FOUND')
    expect((await admin('GET', `/${unknown}/servers`)).status).toBe(404)
    for (const [method, path, body] of [
      ['PUT', `/${project.id}/servers/abc`, {}],
      ['PUT', `/abc/servers/${demo.mainGuildId}`, {}],
      ['PUT', at(project), { scopes: ['all'] }],
      ['PUT', at(project), { scopes: ['read_members', 'read_members'] }],
      ['PUT', at(project), { operations: { READ: 'true' } }],
      ['GET', '/access/audit?limit=0'],
      ['GET', '/access/audit?limit=501'],
      ['GET', '/access/audit?action=grant'],
      ['GET', '/access/matrix?serverId=18446744073709551616'],
    ] as const) {
      expect((await admin(method, path, body)).status, `${method} ${path}`).toBe(400)
    }
  })
})
