import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { atPlatform, authorizePath, Browser, openLogin, walkLogin } from '../../../test/given.ts'
import { authPath, givenClient, walk } from '../../../test/oidc.ts'
import { adminForTests, projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

const { users, mainGuildId } = demo

describe.each(mainEngines)('a login of an account that may not log in, on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)
  const admin = adminForTests(world)

  const failuresOf = async (memberId: string) => {
    await world.service.recorder.flush()
    const path = `/api/admin/monitoring/auth-failures?memberId=${memberId}`
    return (await call(world.url, 'GET', path, admin)).body
  }
  const logIn = (as: string, more: Omit<Parameters<typeof walkLogin>[2], 'as'> = {}) =>
    walkLogin(world, authorizePath(project.id), { as, ...more })
  /** Returns the status of a sign-in that ends at a page of the service. */
  const logInHere = async (path: string, as: string) => {
    const browser = new Browser(world.url)
    return (await browser.get(await atPlatform(await openLogin(browser, path), { as }))).status
  }

  test('is found among the failures by who it was: why, at which project, from where, when, and what they are called', async () => {
    expect((await logIn(users.emil)).searchParams.get('error')).toBe('access_denied')
    expect(await failuresOf(users.emil)).toMatchObject({
      total: 1,
      data: [
        {
          ...{ kind: 'code', reason: 'not_a_member', projectId: project.id, address: '127.0.0.1' },
          ...{ path: '/api/auth/callback', memberName: expect.stringMatching(/^Emil/) },
          ...{ requestId: expect.stringMatching(/./), at: expect.stringMatching(/Z$/) },
        },
      ],
    })
  })

  test('is told apart where the account is blocked', async () => {
    const block = `/api/admin/members/${users.tomas}/block`
    await logIn(users.tomas)
    expect((await call(world.url, 'PUT', block, { ...admin, body: { reason: 'A test' } })).status).toBe(200)
    await logIn(users.tomas)
    expect((await failuresOf(users.tomas)).data).toMatchObject([{ reason: 'blocked' }])
  })

  test('leaves a trace also where it is single sign-on, and the member has left since', async () => {
    const browser = new Browser(world.url)
    await logIn(users.joon, { browser })
    // The gateway is off, so only the platform knows it.
    world.sim.world.removeMember(mainGuildId, users.joon)
    const end = await browser.get(authorizePath(project.id).replace('/authorize?', '/sso/authorize?'))
    expect(new URL(end.headers.get('location') ?? '').searchParams.get('error')).toBe('access_denied')
    expect((await failuresOf(users.joon)).data).toMatchObject([
      { reason: 'not_a_member', projectId: project.id, path: '/api/auth/sso/authorize' },
    ])
  })

  test('leaves one by OpenID Connect, at the callback and by single sign-on', async () => {
    const client = await givenClient(world)
    await walk(world, authPath(client), { as: users.viktor })
    expect((await failuresOf(users.viktor)).data).toMatchObject([
      { reason: 'not_a_member', projectId: client.id, path: '/api/auth/callback' },
    ])
    const browser = new Browser(world.url)
    await logIn(users.kenji, { browser })
    world.sim.world.removeMember(mainGuildId, users.kenji)
    const end = await walk(world, authPath(client), { browser })
    expect(end.searchParams.get('error')).toBe('access_denied')
    expect((await failuresOf(users.kenji)).data).toMatchObject([
      { reason: 'not_a_member', projectId: client.id, path: '/oidc/auth' },
    ])
  })

  test('leaves one at the console and at the account page, with who it was', async () => {
    expect(await logInHere('/api/auth/admin/login', users.ada)).toBe(403)
    expect((await failuresOf(users.ada)).data).toMatchObject([{ kind: 'admin', reason: 'admin_login' }])
    const stranger = users.emil
    const before = (await failuresOf(stranger)).total
    expect(await logInHere('/account', stranger)).toBe(403)
    const { data, total } = await failuresOf(stranger)
    expect(total).toBe(before + 1)
    expect(data.slice(0, 1)).toMatchObject([{ kind: 'code', reason: 'not_a_member', projectId: null }])
  })

  test('who presses Cancel, and whom an outage stops, was not turned away', async () => {
    await logIn(users.mara, { cancel: true })
    world.sim.failNext('member', { status: 500 }, { times: 10 })
    expect((await logIn(users.mara)).searchParams.get('error')).not.toBe('access_denied')
    world.sim.clearFaults()
    expect((await failuresOf(users.mara)).total).toBe(0)
  })
})
