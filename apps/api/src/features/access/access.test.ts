import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { givenAdministration, hostileTexts } from '../../../test/administration.ts'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { authorizePath, givenProject, givenSession, validate } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const unknownProject = '018f3b1e-0000-7000-8000-000000000000'
const unknownServer = '12345678901234567'
const main = demo.mainGuildId
const games = demo.gamesGuildId
const defaults = { READ: true, SEND_MESSAGES: false, MANAGE_WEBHOOKS: false }

describe.each(mainEngines)('project-server access on %s', (engine) => {
  const world = worldForTests(engine)
  const admin = madeForTests(() => givenAdministration(world))
  beforeAll(async () => {
    await world.service.deps.db.execute(
      sql`insert into servers (id, name) values (${games}, 'Harbour Games')`,
    )
  })

  /** A project without any server. */
  const givenBare = async (more = {}) => (await admin.create({ serverAccess: [], ...more })).project
  const put = (projectId: string, serverId: string, body: object) =>
    admin.projects('PUT', `/${projectId}/servers/${serverId}`, body)
  const trail = async (query: string) => (await admin.projects('GET', `/access/audit?${query}`)).body

  describe('PUT /api/admin/projects/{projectId}/servers/{serverId}', () => {
    test('200 makes a mapping: READ and all scopes unless told otherwise', async () => {
      const project = await givenBare()
      const reply = await put(project.id, main, {})
      expect(reply.status).toBe(200)
      expect(reply.body).toEqual({
        projectId: project.id,
        projectName: project.name,
        projectIsActive: true,
        serverId: main,
        serverName: expect.any(String),
        isMainServer: true,
        operations: defaults,
        scopes: ['read_members', 'check_permissions'],
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      })
      const other = await put(project.id, games, {
        operations: { READ: false, SEND_MESSAGES: true },
        scopes: [],
      })
      expect(other.body).toMatchObject({
        isMainServer: false,
        operations: { READ: false, SEND_MESSAGES: true, MANAGE_WEBHOOKS: false },
        scopes: [],
      })
    })

    test('200 changes a mapping: omitted fields stay as they are', async () => {
      const project = await givenBare()
      await put(project.id, main, { operations: { SEND_MESSAGES: true }, scopes: ['read_members'] })
      const operations = await put(project.id, main, { operations: { MANAGE_WEBHOOKS: true } })
      expect(operations.body).toMatchObject({
        operations: { READ: true, SEND_MESSAGES: true, MANAGE_WEBHOOKS: true },
        scopes: ['read_members'],
      })
      const scopes = await put(project.id, main, { scopes: ['check_permissions', 'read_members'] })
      expect(scopes.body).toMatchObject({
        operations: { READ: true, SEND_MESSAGES: true, MANAGE_WEBHOOKS: true },
        scopes: ['read_members', 'check_permissions'],
      })
    })

    test('a call that changes nothing writes neither mapping, trail nor audit', async () => {
      const project = await givenBare()
      const first = await put(project.id, main, { scopes: ['read_members', 'check_permissions'] })
      for (const body of [
        {},
        { operations: {} },
        { operations: defaults, scopes: ['check_permissions', 'read_members'] },
      ]) {
        expect((await put(project.id, main, body)).body).toEqual(first.body)
      }
      expect((await trail(`projectId=${project.id}`)).total).toBe(1)
      expect((await admin.audit(project.id)).map(({ action }) => action)).toEqual([
        'project.create',
        'access.grant',
      ])
    })

    test('404 says whether the project or the server is unknown', async () => {
      const project = await givenBare()
      const noServer = await put(project.id, unknownServer, {})
      expect([noServer.status, noServer.body.code]).toEqual([404, 'SERVER_NOT_FOUND'])
      const noProject = await put(unknownProject, main, {})
      expect([noProject.status, noProject.body.code]).toEqual([404, 'PROJECT_NOT_FOUND'])
      await admin.projects('DELETE', `/${project.id}`)
      expect((await put(project.id, main, {})).body.code).toBe('PROJECT_NOT_FOUND')
    })

    test.each<[string, object]>([
      ['an unknown operation', { operations: { WRITE: true } }],
      ['an operation that is no boolean', { operations: { READ: 1 } }],
      ['an unknown scope', { scopes: ['all'] }],
      ['a scope twice', { scopes: ['read_members', 'read_members'] }],
      ['scopes that are no list', { scopes: 'read_members' }],
      ['null', { operations: null }],
      ['an unknown key', { projectId: unknownProject }],
    ])('400 for %s', async (_, body) => {
      const project = await givenBare()
      expect((await put(project.id, main, body)).status).toBe(400)
      expect((await trail(`projectId=${project.id}`)).total).toBe(0)
    })
  })

  describe('DELETE /api/admin/projects/{projectId}/servers/{serverId}', () => {
    const revoke = (projectId: string, serverId: string) =>
      admin.projects('DELETE', `/${projectId}/servers/${serverId}`)

    test('200 answers the mapping as it was; after that there is none: 404', async () => {
      const project = await givenBare()
      const { body: mapping } = await put(project.id, main, { scopes: ['read_members'] })
      const reply = await revoke(project.id, main)
      expect([reply.status, reply.body]).toEqual([200, mapping])
      const again = await revoke(project.id, main)
      expect([again.status, again.body.code]).toEqual([404, 'ACCESS_NOT_FOUND'])
      expect((await revoke(unknownProject, main)).status).toBe(404)
      expect((await revoke(project.id, unknownServer)).status).toBe(404)
      expect((await admin.audit(project.id)).map(({ action }) => action)).toEqual([
        'project.create',
        'access.grant',
        'access.revoke',
      ])
    })

    test.each([
      ['DELETE', undefined],
      ['PUT', { operations: { READ: false } }],
    ] as const)('after %s authorize and validate for that server stop at once', async (method, body) => {
      const project = await givenProject(world)
      const { token } = await givenSession(world, project)
      expect((await validate(world, project, token)).status).toBe(200)
      await admin.projects(method, `/${project.id}/servers/${main}`, body)
      const refused = await validate(world, project, token)
      expect([refused.status, refused.body.code]).toEqual([401, 'INVALID_TOKEN'])
      const authorize = await call(world.url, 'GET', authorizePath(project.id))
      expect([authorize.status, authorize.body.code]).toEqual([403, 'SERVER_NOT_ACCESSIBLE'])
    })
  })

  describe('lists', () => {
    test('the servers of a project, newest first, by scope; 404 for no project', async () => {
      const project = await givenBare()
      await put(project.id, main, { scopes: ['read_members'] })
      await put(project.id, games, { scopes: ['check_permissions'] })
      const servers = async (query = '') => {
        const { body } = await admin.projects('GET', `/${project.id}/servers${query}`)
        expect(body.total).toBe(body.data.length)
        return body.data.map(({ serverId }: { serverId: string }) => serverId)
      }
      expect(await servers()).toEqual([games, main])
      expect(await servers('?scope=read_members')).toEqual([main])
      const record = (await admin.projects('GET', `/${project.id}`)).body
      expect(record.serverAccess.map(({ serverId }: { serverId: string }) => serverId)).toEqual([games, main])
      expect((await admin.projects('GET', `/${unknownProject}/servers`)).status).toBe(404)
    })

    test('the projects of a server, by scope and state; 404 for no server', async () => {
      const active = await givenBare()
      const inactive = await givenBare({ isActive: false })
      await put(active.id, games, { scopes: ['read_members'] })
      await put(inactive.id, games, { scopes: [] })
      const projects = async (query: string) => {
        const { body } = await admin.projects('GET', `/servers/${games}/projects${query}`)
        return body.data.map(({ projectId }: { projectId: string }) => projectId)
      }
      expect((await projects('')).slice(0, 2)).toEqual([inactive.id, active.id])
      expect(await projects('?isActive=false')).toEqual([inactive.id])
      expect(await projects('?scope=read_members&isActive=true')).toEqual([active.id])
      expect((await admin.projects('GET', `/servers/${unknownServer}/projects`)).body.code).toBe(
        'SERVER_NOT_FOUND',
      )
    })

    test('the matrix, by project, server, scope and part of the name', async () => {
      const project = await givenBare({ name: 'Matrix Alpha' })
      await givenBare({ name: 'Matrix Beta' })
      await put(project.id, main, { scopes: ['read_members'] })
      await put(project.id, games, { operations: { SEND_MESSAGES: true }, scopes: [] })
      const rows = async (query: string) => (await admin.projects('GET', `/access/matrix?${query}`)).body
      expect((await rows(`projectId=${project.id}`)).total).toBe(2)
      expect((await rows('projectName=mATRIX')).data).toMatchObject([
        { serverId: games, operations: { ...defaults, SEND_MESSAGES: true }, scopes: [] },
        { serverId: main, projectName: 'Matrix Alpha', scopes: ['read_members'] },
      ])
      expect((await rows(`projectName=matrix&serverId=${main}`)).total).toBe(1)
      expect((await rows(`projectId=${project.id}&scope=check_permissions`)).total).toBe(0)
      expect((await rows(`projectId=${unknownProject}`)).total).toBe(0)
      const all = await rows('')
      expect(all.data).toHaveLength(all.total)
    })

    test.each(hostileTexts)('the matrix takes %j in the name for what it is', async (text) => {
      const name = `[${text.slice(0, 90)}]`
      const project = await givenBare({ name })
      await put(project.id, games, {})
      const { body } = await admin.projects('GET', `/access/matrix?projectName=${encodeURIComponent(name)}`)
      expect(body.data.map(({ projectId }: { projectId: string }) => projectId)).toEqual([project.id])
    })

    test('a removed server is in no list and takes no grant', async () => {
      const { db } = world.service.deps
      const project = await givenBare()
      await db.execute(sql`insert into servers (id, name) values ('11111111111111111', 'Gone soon')`)
      await put(project.id, '11111111111111111', {})
      await db.execute(sql`update servers set removed_at = clock_now() where id = '11111111111111111'`)
      expect((await admin.projects('GET', `/${project.id}/servers`)).body.total).toBe(0)
      expect((await admin.projects('GET', `/access/matrix?projectId=${project.id}`)).body.total).toBe(0)
      expect((await put(project.id, '11111111111111111', {})).body.code).toBe('SERVER_NOT_FOUND')
    })
  })

  describe('GET /api/admin/projects/access/audit', () => {
    test('200 names each change with who, before and after, newest first', async () => {
      const project = await givenBare()
      await put(project.id, main, { scopes: [] })
      await put(project.id, main, { operations: { SEND_MESSAGES: true } })
      await admin.projects('DELETE', `/${project.id}/servers/${main}`)
      await admin.projects('PATCH', `/${project.id}`, { name: `${project.name} renamed` })
      const { data, total } = await trail(`projectId=${project.id}`)
      expect(total).toBe(3)
      const sending = { operations: { ...defaults, SEND_MESSAGES: true }, scopes: [] }
      const plain = { operations: defaults, scopes: [] }
      const common = {
        projectId: project.id,
        projectName: project.name,
        serverId: main,
        actorId: demo.users.mara,
        actorUsername: expect.any(String),
      }
      expect(data).toMatchObject([
        { ...common, action: 'REVOKE', before: sending, after: null },
        { ...common, action: 'UPDATE', before: plain, after: sending },
        { ...common, action: 'GRANT', before: null, after: plain },
      ])
    })

    test('the mappings that a project starts with are grants', async () => {
      const { project } = await admin.create({ serverAccess: [{ serverId: main }, { serverId: games }] })
      const { data } = await trail(`projectId=${project.id}`)
      expect(
        data.map(({ action, serverId }: { action: string; serverId: string }) => [action, serverId]),
      ).toEqual([
        ['GRANT', games],
        ['GRANT', main],
      ])
      expect(await admin.audit(project.id)).toHaveLength(1)
    })

    test('filters by server and action; the total counts beyond the limit', async () => {
      const project = await givenBare()
      await put(project.id, main, {})
      await put(project.id, games, {})
      await put(project.id, games, { scopes: [] })
      const of = `projectId=${project.id}`
      expect((await trail(`${of}&serverId=${games}`)).total).toBe(2)
      expect((await trail(`${of}&action=UPDATE`)).data).toMatchObject([{ serverId: games, action: 'UPDATE' }])
      const limited = await trail(`${of}&limit=1`)
      expect([limited.data.length, limited.total]).toEqual([1, 3])
      expect((await trail(`limit=500`)).data.length).toBeGreaterThan(3)
    })

    test('stays when the project is deleted', async () => {
      const project = await givenBare()
      await put(project.id, main, {})
      await admin.projects('DELETE', `/${project.id}`)
      expect((await trail(`projectId=${project.id}`)).total).toBe(1)
    })

    test.each([
      'update access_trail set actor_id = null',
      'delete from access_trail',
      'delete from access_trail where false',
      'truncate access_trail',
    ])('refuses `%s`, also from who owns the table', async (statement) => {
      await expect(world.service.deps.db.script(statement)).rejects.toThrow('append-only')
    })

    test('of scopes that a project starts with in any order, the same set changes nothing', async () => {
      const { project } = await admin.create({
        serverAccess: [{ serverId: main, scopes: ['check_permissions', 'read_members'] }],
      })
      const reply = await put(project.id, main, { scopes: ['check_permissions', 'read_members'] })
      expect(reply.body.scopes).toEqual(['read_members', 'check_permissions'])
      expect((await trail(`projectId=${project.id}`)).total).toBe(1)
    })

    test.each([
      'limit=0',
      'limit=501',
      'limit=-1',
      'limit=1.5',
      'limit=abc',
      'action=grant',
      'action=DELETE',
      'serverId=1',
      'projectId=1',
      'offset=1',
    ])('400 for ?%s', async (query) => {
      expect((await admin.projects('GET', `/access/audit?${query}`)).status).toBe(400)
    })
  })

  test.each([
    ['GET', `/1/servers`],
    ['GET', `/${unknownProject}/servers?scope=all`],
    ['GET', '/servers/42/projects'],
    ['GET', '/servers/18446744073709551616/projects'],
    ['GET', `/servers/${main}/projects?isActive=1`],
    ['PUT', `/1/servers/${main}`],
    ['PUT', `/${unknownProject}/servers/1e17`],
    ['PUT', `/${unknownProject}/servers/012345678901234567`],
    ['DELETE', `/x/servers/${main}`],
    ['DELETE', `/${unknownProject}/servers/-1`],
    ['GET', '/access/matrix?projectId=x'],
    ['GET', '/access/matrix?serverId=x'],
    ['GET', '/access/matrix?scope=write'],
    ['GET', '/access/matrix?name=x'],
  ])('400: %s %s', async (method, path) => {
    expect((await admin.projects(method, path, method === 'PUT' ? {} : undefined)).status).toBe(400)
  })
})
