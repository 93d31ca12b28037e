import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { givenProject } from '../../../test/given.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'

describe.each(ciEngines)('resources of a project, on %s', (engine) => {
  const world = worldForTests(engine, { RATE_LIMIT_GLOBAL: '0' })
  const admin = adminForTests(world)

  const ask = (method: string, path: string, body?: object) =>
    call(world.url, method, `/api/admin${path}`, { ...admin, body })
  const set = (id: string, resources: unknown) => ask('PATCH', `/projects/${id}`, { oidc: { resources } })

  test('are stored in their order, shown in every answer, and audited', async () => {
    const resources = [
      'https://b.example/mcp',
      'https://a.example/v1?x=1',
      'urn:example:api',
      'https://A.example/v1',
    ]
    const created = await ask('POST', '/projects', { name: 'Notes', oidc: { resources } })
    const { id, oidc } = created.body.project
    expect(oidc.resources).toEqual(resources)
    const fewer = [...resources.slice(0, 2)].reverse()
    expect((await set(id, fewer)).body.oidc.resources).toEqual(fewer)
    expect((await ask('GET', `/projects/${id}`)).body.oidc.resources).toEqual(fewer)
    expect(
      (await ask('PATCH', `/projects/${id}`, { oidc: { deviceFlow: true } })).body.oidc.resources,
    ).toEqual(fewer)
    const audited = (await ask('GET', `/audit/logs?targetId=${id}`)).body.data
    const changes = audited.flatMap((entry: { changes?: { oidc?: object } }) => entry.changes?.oidc ?? [])
    expect(changes).toContainEqual({
      before: expect.objectContaining({ resources }),
      after: expect.objectContaining({ resources: fewer }),
    })
  })

  test.each([
    'notes',
    '/mcp',
    'https://',
    'https://api.example/#',
    'https://api.example/#top',
    'https://user:secret@api.example/',
    ' https://api.example/',
    'https://api.example/\u00e9',
    'https://api.example/a b',
    'https://api.example/"',
    `https://api.example/${'x'.repeat(512)}`,
    '',
  ])('%j is refused, with its place', async (text) => {
    const { id } = await givenProject(world)
    const reply = await set(id, ['https://good.example/', text])
    expect([reply.status, reply.body.errors.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      ['/oidc/resources/1'],
    ])
    expect((await ask('GET', `/projects/${id}`)).body.oidc.resources).toEqual([])
  })

  test('are 20 at most, each once', async () => {
    const { id } = await givenProject(world)
    const many = Array.from({ length: 21 }, (_, i) => `https://many.example/${i}`)
    expect((await set(id, many)).status).toBe(400)
    expect((await set(id, [many[0], many[0]])).status).toBe(400)
    expect((await set(id, many.slice(1))).status).toBe(200)
  })

  test('belong to one project: of simultaneous changes one succeeds, the others answer 409', async () => {
    const wanted = ['https://x.example/', 'https://y.example/']
    const projects = await Promise.all(Array.from({ length: 6 }, () => givenProject(world)))
    const replies = await Promise.all(
      projects.map(({ id }, i) => set(id, i % 2 === 0 ? wanted : [...wanted].reverse())),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
    expect(replies.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'RESOURCE_TAKEN',
      errors: [{ path: '/oidc/resources', code: 'TAKEN' }],
    })
    const taken = await ask('POST', '/projects', { name: 'Late', oidc: { resources: [wanted[0]] } })
    expect([taken.status, taken.body.code]).toEqual([409, 'RESOURCE_TAKEN'])
    const winner = projects[replies.findIndex(({ status }) => status === 200)]
    expect((await ask('DELETE', `/projects/${winner?.id}`)).status).toBe(204)
    const late = await ask('POST', '/projects', { name: 'Late', oidc: { resources: wanted } })
    expect([late.status, late.body.project.oidc.resources]).toEqual([201, wanted])
  })
})
