import { demo } from '@rolecall/chat-sim'
import { beforeAll, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { givenAdmin, givenProject } from '../../../test/given.ts'
import { startLogoutReceiver } from '../../../test/logout-receiver.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { authPath, clientUri, givenClient, introspect, logIn, redeem, userinfo } from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const host = 'wiki.example.org'

const receiver = madeForTests(startLogoutReceiver, (started) => started.close())
const world = worldForTests('pglite', { TRUST_PROXY: '127.0.0.1' })
beforeAll(() => world.service.deps.deliveries.start())

/** Returns the series of a metric, by their labels as written. */
async function seriesOf(name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${world.url}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`))
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(name.length + 1, line.lastIndexOf('}')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ]),
  )
}

test('answers of OpenID Connect are counted by endpoint and outcome, and what a client sends is no label', async () => {
  const project = await givenClient(world)
  const tokens = await logIn(world, project)
  // The first by the library, the others from memory.
  for (let i = 0; i < 3; i++) {
    await userinfo(world, tokens.access_token)
    await introspect(world, project, tokens.access_token)
  }
  await userinfo(world, 'made-up')
  await redeem(world, project, 'made-up')
  await redeem(world, { ...project, key: 'made-up' }, 'made-up')
  await call(world.url, 'GET', authPath(project, { redirect_uri: `${clientUri}/made-up` }))
  await call(world.url, 'GET', authPath(project, { prompt: 'none' }))
  const label = (endpoint: string, outcome: string) => `endpoint="${endpoint}",outcome="${outcome}"`
  expect(await seriesOf('rolecall_oidc_answers_total')).toEqual({
    [label('authorization', 'login')]: 1,
    [label('authorization', 'ok')]: 1,
    [label('authorization', 'invalid_redirect_uri')]: 1,
    [label('authorization', 'login_required')]: 1,
    [label('token', 'ok')]: 1,
    [label('token', 'invalid_grant')]: 1,
    [label('token', 'invalid_client')]: 1,
    [label('introspection', 'ok')]: 3,
    [label('userinfo', 'ok')]: 3,
    [label('userinfo', 'invalid_token')]: 1,
  })
})

test('responses to proxies are counted by protected host, and an unknown host is no label', async () => {
  const { id } = await givenProject(world, { isInternal: true })
  const body = { forwardAuth: { hosts: [host] } }
  await call(world.url, 'PATCH', `/api/admin/projects/${id}`, { token: await givenAdmin(world), body })
  const check = (name: string, proto = 'https') =>
    call(world.url, 'GET', '/api/forward-auth', {
      headers: {
        ...{ 'x-forwarded-proto': proto, 'x-forwarded-host': name },
        ...{ 'x-forwarded-uri': '/', 'x-forwarded-method': 'GET' },
      },
    })
  for (const [name, proto] of [[host], [host], ['made-up.example'], [host, 'gopher']] as const)
    await check(name, proto)
  expect(await seriesOf('rolecall_forward_auth_answers_total')).toEqual({
    [`host="${host}",outcome="nobody"`]: 2,
    'host="none",outcome="no_such_host"': 1,
    'host="none",outcome="invalid"': 1,
  })
})

test('tries to tell clients of logouts are counted, and what waits after a try is a queue of its own', async () => {
  const project = await givenClient(world, { oidc: { backchannelLogoutUri: receiver.uri } })
  await logIn(world, project)
  await logIn(world, project)
  receiver.answer(503)
  const member = { memberId: demo.users.ada }
  await call(world.url, 'POST', '/api/auth/logout-all', { key: project.key, body: member })
  await expect
    .poll(() => seriesOf('rolecall_oidc_logouts_total'))
    .toEqual({
      'outcome="refused"': 1,
      'outcome="delivered"': 2,
    })
  expect((await seriesOf('rolecall_queue_rows'))['queue="oidc_logouts"']).toBe(0)
  expect((await seriesOf('rolecall_queue_rows'))['queue="oidc_logouts_refused"']).toBe(0)
})
