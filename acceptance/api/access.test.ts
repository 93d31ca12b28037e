import { randomUUID } from 'node:crypto'
import { demo } from '@rolecall/chat-sim'
import { beforeAll, expect, test } from 'vitest'
import {
  ask,
  describeWithMembers,
  givenProject,
  logInAsAdmin,
  type Project,
  type Sent,
  uniqueName,
} from './service.ts'

const main = demo.mainGuildId

interface Mapping {
  readonly projectId: string
  readonly scopes: readonly string[]
}

describeWithMembers('access of projects to servers', () => {
  let token: string
  let project: Project
  let name: string
  beforeAll(async () => {
    token = await logInAsAdmin()
    name = uniqueName('Access')
    project = await givenProject(token, { name, serverAccess: [] })
  })
  const admin = (method: string, path: string, body?: unknown) => {
    const sent: Sent = body === undefined ? { token } : { token, body }
    return ask(method, `/api/admin/projects${path}`, sent)
  }
  const mapping = (method: string, body?: unknown, server: string = main) =>
    admin(method, `/${project.id}/servers/${server}`, body)
  const ids = async (path: string) => {
    const { status, body } = await admin('GET', path)
    expect(status, path).toBe(200)
    return body.data.map((one: Mapping) => one.projectId)
  }

  test('PUT: 200; a new mapping has READ and all scopes, an update keeps what it does not name; the trail has each', async () => {
    const made = await mapping('PUT', {})
    expect(made.status).toBe(200)
    expect(made.body).toMatchObject({
      projectId: project.id,
      serverId: main,
      isMainServer: true,
      operations: { READ: true, SEND_MESSAGES: false, MANAGE_WEBHOOKS: false },
    })
    expect(made.body.scopes.toSorted()).toEqual(['check_permissions', 'read_members'])
    const narrowed = await mapping('PUT', { scopes: ['read_members'] })
    expect(narrowed.body.scopes).toEqual(['read_members'])
    const kept = await mapping('PUT', { operations: { SEND_MESSAGES: true } })
    expect(kept.body).toMatchObject({ scopes: ['read_members'], operations: { SEND_MESSAGES: true } })

    expect((await mapping('DELETE')).status).toBe(200)
    expect((await mapping('DELETE')).body.code).toBe('ACCESS_NOT_FOUND')
    const trail = async (query: string) =>
      (await admin('GET', `/access/audit?projectId=${project.id}&serverId=${main}${query}`)).body.data.map(
        ({ action }: { action: string }) => action,
      )
    expect(await trail('')).toEqual(['REVOKE', 'UPDATE', 'UPDATE', 'GRANT'])
    expect(await trail('&action=UPDATE&limit=1')).toEqual(['UPDATE'])
  })

  test('lists narrow by scope, activity and name: mappings of a project, of a server, and the matrix', async () => {
    await mapping('PUT', { scopes: ['check_permissions'] })
    const byScope = async (path: string, more = '') => [
      (await ids(`${path}?scope=check_permissions${more}`)).includes(project.id),
      (await ids(`${path}?scope=read_members${more}`)).includes(project.id),
    ]
    expect(await byScope(`/${project.id}/servers`)).toEqual([true, false])
    expect(await byScope(`/servers/${main}/projects`)).toEqual([true, false])
    expect(await byScope('/access/matrix', `&serverId=${main}`)).toEqual([true, false])
    expect(await ids(`/servers/${main}/projects?isActive=false`)).not.toContain(project.id)
    expect(await ids(`/access/matrix?projectName=${name.slice(1).toUpperCase()}`)).toEqual([project.id])
    expect(await ids(`/access/matrix?projectId=${project.id}`)).toEqual([project.id])
  })

  test('404 for a project or a server that is not there', async () => {
    const none = `/${randomUUID()}/servers/${main}`
    expect((await admin('PUT', none, {})).body.code).toBe('PROJECT_NOT_FOUND')
    expect((await mapping('PUT', {}, '99999999999999999')).body.code).toBe('SERVER_NOT_FOUND')
    expect((await admin('DELETE', none)).status).toBe(404)
  })

  test('400 for ids, scopes and operations that are none', async () => {
    const refused = [
      mapping('PUT', {}, 'not-a-server'),
      mapping('PUT', { scopes: ['everything'] }),
      mapping('PUT', { operations: { FLY: true } }),
      mapping('DELETE', undefined, 'not-a-server'),
      admin('GET', `/${project.id}/servers?scope=everything`),
      admin('GET', '/servers/not-a-server/projects'),
      admin('GET', `/servers/${main}/projects?isActive=maybe`),
      admin('GET', '/access/matrix?scope=everything'),
      admin('GET', '/access/audit?action=FLY'),
    ]
    for (const { status } of await Promise.all(refused)) expect(status).toBe(400)
  })

  test('GET /access/audit: limit is 1 to 500', async () => {
    for (const [limit, status] of [
      ['0', 400],
      ['501', 400],
      ['x', 400],
      ['1', 200],
      ['500', 200],
    ] as const) {
      expect((await admin('GET', `/access/audit?limit=${limit}`)).status, limit).toBe(status)
    }
  })
})
