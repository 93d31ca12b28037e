import { demo } from '@rolecall/chat-sim'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { everythingStored } from '../../../test/everything-stored.ts'
import type { GivenProject } from '../../../test/given.ts'
import { givenClient, logIn } from '../../../test/oidc.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'

const { mainGuildId: club, gamesGuildId: games, users, roles } = demo
/** An address without a listener; the tests count the deliveries that wait for it. */
const backchannelLogoutUri = 'http://127.0.0.1:1025/logout'

describe.each(ciEngines)('a dry run, of other ways in, on %s', (engine) => {
  const world = worldForTests(engine, { TRUST_PROXY: '127.0.0.1,::1', RATE_LIMIT_GLOBAL: '0' })
  let project: GivenProject
  let held: string[]
  let rounds = 0
  const administrator = adminForTests(world)
  beforeAll(async () => {
    await call(world.url, 'POST', '/api/admin/servers', { ...administrator, body: { id: games } })
  })
  const admin = (method: string, path: string, body?: unknown) =>
    call(world.url, method, path, { ...administrator, ...(body !== undefined && { body }) })
  const path = () => `/api/admin/projects/${project.id}`

  beforeEach(async () => {
    project = await givenClient(world, { oidc: { publicClient: false, backchannelLogoutUri } })
    rounds += 1
    const protects = ['one', 'two'].map((name) => `${name}-${rounds}.example.org`)
    expect((await admin('PATCH', path(), { forwardAuth: { hosts: protects } })).status).toBe(200)
    held = []
    for (const as of [users.ada, users.ada, users.joon])
      held.push((await logIn(world, project, { as })).access_token)
  })

  // Deliveries without a listener are retried, also while the next test compares the stored state.
  afterEach(() => world.service.deps.db.execute({ text: 'delete from deliveries', values: [] }))

  const good = async () => {
    const replies = await Promise.all(
      held.map((bearer) => call(world.url, 'GET', '/oidc/me', { token: bearer })),
    )
    return replies.filter(({ status }) => status === 200).length
  }
  const told = async () =>
    (
      await world.service.deps.db.query<{ id: string }>({
        text: `select distinct data ->> 'sessionId' as id from deliveries
          where kind = 'logout' and project_id = $1 and failed_at is null`,
        values: [project.id],
      })
    ).length
  const guarded = async () => {
    const { body } = await admin('GET', path())
    const all: string[] = body.forwardAuth.hosts
    const replies = await Promise.all(
      all.map((host) =>
        call(world.url, 'GET', '/api/forward-auth', {
          headers: {
            ...{ 'x-forwarded-proto': 'https', 'x-forwarded-host': host },
            ...{ 'x-forwarded-uri': '/', 'x-forwarded-method': 'GET' },
          },
        }),
      ),
    )
    return replies.filter(({ status }) => status === 401).length
  }

  test.each([
    ['the client goes off', { oidc: { enabled: false } }, [3, 3, 0]],
    [
      'the client goes off with its address',
      { oidc: { enabled: false, backchannelLogoutUri: null } },
      [3, 0, 0],
    ],
    ['its hosts go for another one', { forwardAuth: { hosts: ['left.example.org'] } }, [0, 0, 2]],
    ['the hosts ask for a role', { forwardAuth: { anyOf: [roles.captain] } }, [0, 0, 0]],
    ['the words change', { description: 'New words' }, [0, 0, 0]],
  ])('counts what is lost when %s, and is followed by just that', async (_, body, expected) => {
    const stored = await everythingStored(world.service.deps.db)
    const dry = await admin('PATCH', `${path()}?dryRun=true`, body)
    expect(dry.status, dry.text).toBe(200)
    expect(await everythingStored(world.service.deps.db)).toEqual(stored)
    const { sessionsEnded, clientSessionsEnded, clientSessionsTold, hostsEnded } = dry.body
    expect([clientSessionsEnded, clientSessionsTold, hostsEnded]).toEqual(expected)
    expect(sessionsEnded).toBe(0)
    expect([await good(), await told(), await guarded()]).toEqual([3, 0, 2])
    expect((await admin('PATCH', path(), body)).status).toBe(200)
    expect([3 - (await good()), await told()]).toEqual(expected.slice(0, 2))
  })

  test('counts all of them when the project goes, and only the tokens when its key does', async () => {
    const of = async (method: string, rest: string, body?: unknown) => {
      const dry = await admin(method, `${path()}${rest}?dryRun=true`, body)
      expect(dry.status, dry.text).toBe(200)
      const { sessionsEnded, clientSessionsEnded, clientSessionsTold, hostsEnded } = dry.body
      return [sessionsEnded, clientSessionsEnded, clientSessionsTold, hostsEnded]
    }
    expect(await of('DELETE', '/key')).toEqual([3, 3, 0, 0])
    expect(await of('PATCH', '', { isActive: false })).toEqual([3, 3, 3, 2])
    expect(await of('DELETE', '')).toEqual([3, 3, 3, 2])
    // The hosts then belong to another server, and no sessions count there.
    expect(await of('PATCH', '', { forwardAuth: { serverId: games } })).toEqual([0, 0, 0, 2])
    await admin('PUT', `/api/admin/projects/${project.id}/servers/${club}`, {})
    expect(await of('PATCH', '', { isInternal: false })).toEqual([0, 0, 0, 0])
    await admin('DELETE', `/api/admin/projects/${project.id}/servers/${club}`)
    expect(await of('PATCH', '', { isInternal: false })).toEqual([3, 3, 3, 2])
    await admin('DELETE', path())
    expect(await told()).toBe(3)
  })
})
