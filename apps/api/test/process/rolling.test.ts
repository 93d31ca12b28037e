import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Asked,
  type Instance,
  startRollingLoad,
  stopInTurn,
} from '../../../../bench/src/rolling-load.ts'
import { isInstalled, startCaddy, startHaproxy, startNginx } from '../../../../bench/src/rolling-proxies.ts'
import { freePort } from '../../../../tools/free-port.js'
import { call } from '../client.ts'
import { emptyDatabaseForTests } from '../database-for-tests.ts'
import { walkAdminLogin, walkLogin } from '../given.ts'
import { folderForTests, simForTests } from '../process-for-tests.ts'
import { environmentFor, type ServiceProcess, startService } from './service-process.ts'

const clients = 32
const stops = 2
const redirectUri = 'https://site.example/callback'

/** Tests an update, which restarts one instance after the other. `bench` makes a hundred restarts. */
describe('two instances that are stopped in turn under load lose no request', { timeout: 180_000 }, () => {
  const sim = simForTests({ headlessLogin: true })
  const folder = folderForTests('rolecall-rolling-')
  const database = emptyDatabaseForTests('postgres')
  let ports: readonly [number, number]
  let instances: readonly Instance[]
  let asked: readonly Asked[]
  const services = new Map<number, ServiceProcess>()
  beforeAll(async () => {
    ports = [await freePort(), await freePort()]
    instances = ports.map(instanceOn)
    for (const instance of instances) await instance.start()
    asked = await givenRequests(instances[0]?.url ?? '')
  })
  afterAll(async () => {
    for (const service of services.values()) await service.kill('SIGKILL')
  })

  const instanceOn = (port: number): Instance => {
    const environment: Record<string, string> = {
      ...environmentFor(sim, port),
      DATABASE_URL: database.url,
      RATE_LIMIT_GLOBAL: '0',
      // Reads the roles only once, because later requests to the chat platform are not tested here.
      PERMISSION_TTL_MS: '3600000',
    }
    sim.allowRedirect(environment['CHAT_CALLBACK_URL'] ?? '')
    return {
      url: `http://127.0.0.1:${port}`,
      async start() {
        const service = startService(folder, environment)
        services.set(port, service)
        await service.listening
      },
      stop: async () => (services.get(port) as ServiceProcess).kill('SIGTERM'),
    }
  }

  /** Creates the requests: validations of a member's session, and reads of the member list. */
  const givenRequests = async (url: string): Promise<Asked[]> => {
    const token = await walkAdminLogin({ url, sim })
    const { project, apiKey } = (
      await call(url, 'POST', '/api/admin/projects', { token, body: { name: 'Harbour' } })
    ).body
    await call(url, 'PATCH', `/api/admin/projects/${project.id}/redirect-uri`, {
      token,
      body: { redirectUri },
    })
    const authorize = new URLSearchParams({
      client_id: project.id,
      redirect_uri: redirectUri,
      server_id: demo.mainGuildId,
      state: 'state',
    })
    const back = await walkLogin({ url, sim }, `/api/auth/authorize?${authorize}`)
    const code = back.searchParams.get('code')
    const session = await call(url, 'POST', '/api/auth/token', {
      key: apiKey,
      body: { clientId: project.id, code, redirectUri },
    })
    const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
    const validate: Asked = {
      method: 'POST',
      path: '/api/auth/validate',
      headers,
      body: JSON.stringify({ token: session.body.token }),
    }
    const list: Asked = {
      method: 'GET',
      path: `/api/servers/${demo.mainGuildId}/members?limit=1`,
      headers,
    }
    return [validate, validate, list]
  }

  const loseNothing = async (targets: readonly string[], isBehindProxy: boolean, ca?: string) => {
    const load = startRollingLoad({
      targets,
      asked,
      clients,
      pauseMs: 30,
      ...(ca !== undefined && { ca }),
    })
    await stopInTurn(instances, stops, isBehindProxy)
    const { answered, lost } = await load.stop()
    expect(lost).toEqual([])
    expect(answered).toBeGreaterThan(stops * clients)
  }

  test('directly, when clients go to the other instance only where they are refused', async () => {
    await loseNothing(
      instances.map(({ url }) => url),
      false,
    )
  })

  test('behind HAProxy, which asks for readiness, as deploy/haproxy configures it', async ({ skip }) => {
    skip(!isInstalled('haproxy'), 'HAProxy is not on the PATH: apt-get install haproxy')
    const proxy = await startHaproxy(folder, ports)
    await loseNothing([proxy.url], true)
    await proxy.stop()
  })

  test('behind nginx, which asks nothing, as deploy/nginx configures it', async ({ skip }) => {
    skip(!isInstalled('nginx'), 'nginx is not on the PATH: apt-get install nginx')
    const proxy = await startNginx(folder, ports)
    await loseNothing([proxy.url], true)
    await proxy.stop()
  })

  test('behind Caddy, which speaks TLS and asks for readiness, as deploy/compose.Caddyfile configures it', async ({
    skip,
  }) => {
    skip(!isInstalled('caddy'), 'Caddy is not on the PATH: apt-get install caddy')
    const proxy = await startCaddy(folder, ports)
    await loseNothing([proxy.url], true, proxy.ca)
    await proxy.stop()
  })
})
