import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { givenProject, validate, walkSession } from '../../../test/given.ts'
import { startWorld } from '../../../test/service.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { createApp } from '../../app.ts'
import { mintToken } from '../../platform/crypto/tokens.ts'
import { createLifecycle } from '../../platform/http/lifecycle.ts'

const scrape = async (url: string) => (await fetch(`${url}/metrics`)).text()

/** Returns the value of a series; undefined if it does not exist. Labels may be in any order. */
function sampleOf(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const line = text
    .split('\n')
    .find(
      (one) =>
        (one.startsWith(`${name}{`) || one.startsWith(`${name} `)) &&
        Object.entries(labels).every(([key, value]) => one.includes(`${key}="${value}"`)),
    )
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1))
}

describe.each(mainEngines)('GET /metrics on %s', (engine) => {
  const world = worldForTests(engine)

  test('counts and times requests by route template and status, and knows what is in flight', async () => {
    const project = await givenProject(world)
    const { token } = await walkSession(world, project)
    for (let i = 0; i < 3; i++) await validate(world, project, token)
    await validate(world, project, mintToken('session'))
    await call(world.url, 'GET', '/api/nothing/is/here/4711')
    const text = await scrape(world.url)
    const route = { method: 'POST', route: '/api/auth/validate' }
    expect(sampleOf(text, 'rolecall_http_requests_total', { ...route, status: '200' })).toBe(3)
    expect(sampleOf(text, 'rolecall_http_requests_total', { ...route, status: '401' })).toBe(1)
    expect(sampleOf(text, 'rolecall_http_requests_total', { route: 'unmatched', status: '404' })).toBe(1)
    const histogram = { ...route, class: '2xx' }
    expect(sampleOf(text, 'rolecall_http_request_duration_seconds_count', histogram)).toBe(3)
    expect(
      sampleOf(text, 'rolecall_http_request_duration_seconds_bucket', { ...histogram, le: '+Inf' }),
    ).toBe(3)
    const seconds = sampleOf(text, 'rolecall_http_request_duration_seconds_sum', histogram) ?? 0
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThan(30)
    expect(sampleOf(text, 'rolecall_http_requests_in_flight')).toBe(0)
    expect(sampleOf(text, 'rolecall_auth_failures_total', { kind: 'session' })).toBe(1)
  })

  test('says how the parts are, and what waits', async () => {
    const text = await scrape(world.url)
    expect(sampleOf(text, 'rolecall_database_up')).toBe(1)
    expect(sampleOf(text, 'rolecall_cache_up')).toBe(1)
    expect(sampleOf(text, 'rolecall_database_pool_connections', { state: 'max' })).toBeGreaterThan(0)
    expect(sampleOf(text, 'rolecall_database_pool_waiting')).toBeDefined()
    expect(sampleOf(text, 'rolecall_gateway_state', { state: 'off' })).toBe(1)
    expect(sampleOf(text, 'rolecall_queue_rows', { queue: 'outbox' })).toBeGreaterThanOrEqual(0)
    expect(sampleOf(text, 'rolecall_platform_requests_total', { operation: 'identify' })).toBeGreaterThan(0)
    expect(sampleOf(text, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
    expect(sampleOf(text, 'process_resident_memory_bytes')).toBeGreaterThan(0)
    // An unknown value is absent, rather than 0.
    expect(sampleOf(text, 'rolecall_gateway_last_event_timestamp_seconds')).toBeUndefined()
  })

  test('has labels of closed lists only, for any request: no ID, address, key, or token', async () => {
    const project = await givenProject(world)
    await call(world.url, 'GET', `/api/admin/projects/${project.id}`, { token: mintToken('session') })
    await call(world.url, 'GET', `/api/${mintToken('session')}`, {
      headers: { 'x-request-id': 'marked-request' },
    })
    const before = (await scrape(world.url)).split('\n').length
    for (let i = 0; i < 50; i++) await call(world.url, 'GET', `/api/made-up/${i}`)
    const text = await scrape(world.url)
    expect(text.split('\n').length).toBe(before)
    expect(text).toContain('route="/api/admin/projects/{id}"')
    expect(text).not.toMatch(/rc[ksrcoa]_|marked-request|127\.0\.0\.1|made-up/)
    expect(text).not.toContain(project.id)
  })

  test('with a token: that token and nothing else', async () => {
    const secret = 'a-long-metrics-token'
    const { deps, recorder } = world.service
    const app = createApp(
      { ...deps, config: { ...deps.config, metricsToken: secret } },
      recorder,
      createLifecycle(),
    )
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    for (const token of [undefined, 'wrong', `${secret}x`, mintToken('session')]) {
      const reply = await call(url, 'GET', '/metrics', token === undefined ? {} : { token })
      expect([reply.status, reply.body.code]).toEqual([401, 'INVALID_METRICS_TOKEN'])
    }
    const reply = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${secret}` } })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toContain('text/plain')
    await app.close()
  })

  test('without a token: from this machine by its socket, and never through a proxy', async () => {
    for (const headers of [
      { 'x-forwarded-for': '127.0.0.1' },
      { forwarded: 'for=127.0.0.1' },
      { 'x-real-ip': '127.0.0.1' },
    ] as Record<string, string>[]) {
      const reply = await call(world.url, 'GET', '/metrics', { headers })
      expect([reply.status, reply.body.code]).toEqual([403, 'METRICS_LOCAL_ONLY'])
    }
    const app = createApp(world.service.deps, world.service.recorder, createLifecycle())
    await app.listen({ host: '0.0.0.0', port: 0 })
    const { port } = app.server.address() as { port: number }
    const outside = Object.values(networkInterfaces())
      .flatMap((one) => one ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4')
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200)
    // On a machine without a network, there is no outside address to reject.
    if (outside) {
      const reply = await call(`http://${outside.address}:${port}`, 'GET', '/metrics')
      expect([reply.status, reply.body.code]).toEqual([403, 'METRICS_LOCAL_ONLY'])
    }
    await app.close()
  })
})

test('without its database the service still answers metrics, and says that the database is down', async () => {
  const world = await startWorld('pglite')
  await world.service.deps.db.close()
  const text = await scrape(world.url)
  expect(sampleOf(text, 'rolecall_database_up')).toBe(0)
  expect(sampleOf(text, 'rolecall_queue_rows', { queue: 'outbox' })).toBeUndefined()
  await world.close()
})
