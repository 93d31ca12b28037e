import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import {
  authorizePath,
  exchange,
  type GivenProject,
  givenCode,
  givenProject,
  redirectUri,
} from '../../../test/given.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'

/** The validity of a code is decided at the exchange, which repeats every check of authorize. */
describe.each(mainEngines)('a code whose project changed between callback and exchange on %s', (engine) => {
  const world = worldForTests(engine)
  const administrator = adminForTests(world)

  const admin = (method: string, path: string, body?: object) =>
    call(world.url, method, `/api/admin/projects/${path}`, { ...administrator, ...(body && { body }) })
  const mapping = ({ id }: GivenProject) => `${id}/servers/${demo.mainGuildId}`

  const changes: Record<string, (project: GivenProject) => Promise<{ status: number }>> = {
    'the redirect URI was taken off its list': ({ id }) =>
      admin('PATCH', `${id}/redirect-uri`, { redirectUri: 'https://site.example/other' }),
    'the server was taken from it': (project) => admin('DELETE', mapping(project)),
    'READ was taken from it': (project) => admin('PUT', mapping(project), { operations: { READ: false } }),
  }

  test.each(Object.entries(changes))('is 401 INVALID_CODE when %s', async (_, change) => {
    const project = await givenProject(world)
    const code = await givenCode(world, project)
    expect((await change(project)).status).toBeLessThan(300)
    const reply = await exchange(world, project, code)
    expect([reply.status, reply.body.code]).toEqual([401, 'INVALID_CODE'])
  })

  test('is not used up by that: what is given back makes it good again, in its minute', async () => {
    const project = await givenProject(world)
    const code = await givenCode(world, project)
    const set = (uri: string) => admin('PATCH', `${project.id}/redirect-uri`, { redirectUri: uri })
    await set('https://site.example/other')
    expect((await exchange(world, project, code)).status).toBe(401)
    await set(redirectUri)
    expect((await exchange(world, project, code)).status).toBe(200)
  })

  test('an id is one id in any spelling, from authorize to the exchange and after', async () => {
    const project = await givenProject(world)
    const upper = project.id.toUpperCase()
    const code = await givenCode(world, { ...project, id: upper })
    const session = await exchange(world, project, code, { clientId: upper })
    expect(session.status).toBe(200)
    const shouted = authorizePath(upper).replace('/authorize?', '/sso/authorize?')
    expect((await call(world.url, 'GET', shouted)).status).toBe(302)
    expect((await admin('GET', upper)).body.id).toBe(project.id)
    const list = await call(world.url, 'GET', '/api/auth/sessions', { token: session.body.token })
    const id = list.body.sessions.find(({ kind }: { kind: string }) => kind === 'project').id
    const path = `/api/auth/sessions/${id.toUpperCase()}`
    expect((await call(world.url, 'DELETE', path, { token: session.body.token })).status).toBe(204)
  })
})
