import { createServer, type IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../client.ts'
import { Browser, givenAdmin, givenProject } from '../given.ts'
import { worldForTests } from '../world-for-tests.ts'
import { canProtect, protectedHost as host, protectingProxies } from './protecting-proxies.ts'

const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const programs = ['haproxy', 'nginx', 'caddy', 'apache2'] as const

const world = worldForTests('pglite', {
  TRUST_PROXY: '127.0.0.1',
  RATE_LIMIT_GLOBAL: '0',
  // Without the gateway, this makes the service read the roles for each request.
  PERMISSION_TTL_MS: '0',
})
/** The requests that the application behind the proxy has received. */
const asked: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = []
const application = createServer(async (incoming, answer) => {
  const { url = '', headers } = incoming
  asked.push({ path: url, headers })
  // The stream never ends, so the proxy must forward the data immediately.
  if (url === '/events')
    return void answer.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
  let size = 0
  for await (const part of incoming) size += part.length
  answer.end(size === 0 ? 'the wiki' : `${size} bytes`)
})
beforeAll(async () => {
  const { id } = await givenProject(world, { isInternal: true })
  await call(world.url, 'PATCH', `/api/admin/projects/${id}`, {
    token: await givenAdmin(world),
    body: { forwardAuth: { hosts: [host], anyOf: [demo.roles.crew] } },
  })
  await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  application.close()
})

interface Reply {
  readonly status: number
  readonly location: string
  readonly type: string
  readonly body: string
}

/**
 * Creates a visitor of the host behind a proxy, with the cookies of a browser. Sends its requests byte for byte, as
 * malicious clients do.
 */
function createVisitor(port: number) {
  const jar = new Map<string, string>()
  const open = (path: string, headers: Record<string, string> = {}, method = 'GET', sent?: Buffer) =>
    new Promise<Reply>((resolve, reject) => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const asking = request(
        {
          ...{ host: '127.0.0.1', port, servername: host, path, method },
          ...{ rejectUnauthorized: false, agent: false },
          headers: { host, ...(cookie && { cookie }), ...headers },
        },
        (answer) => {
          for (const line of answer.headers['set-cookie'] ?? []) {
            const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
            if (value === '') jar.delete(name)
            else jar.set(name, value)
          }
          let body = ''
          const { location = '', 'content-type': type = '' } = answer.headers
          const done = () => resolve({ status: answer.statusCode ?? 0, location, type, body })
          answer.setEncoding('utf8').on('data', (part) => {
            body += part
            if (!type.startsWith('text/event-stream')) return
            done()
            asking.destroy()
          })
          answer.on('end', done)
        },
      )
      asking.on('error', reject).end(sent)
    })
  return { jar, open }
}

const pathOf = (address: string) => new URL(address).pathname + new URL(address).search

/** Signs in at the address to which the proxy redirects a page load. Returns the final response. */
async function logIn({ open }: ReturnType<typeof createVisitor>, login: string): Promise<Reply> {
  const start = await open(pathOf(login), page)
  const onService = new Browser(world.url)
  const authorize = await onService.get(pathOf(start.location))
  const back = await world.sim.login(authorize.headers.get('location') ?? '', { as: demo.users.ada })
  const callback = await onService.get(pathOf(back))
  return open(pathOf(callback.headers.get('location') ?? ''), page)
}

describe.each(programs)('%s, as deploy/proxies configures it', (program) => {
  const withProxy = async (
    skip: (when: boolean, why: string) => void,
    port: string,
    work: (visitor: ReturnType<typeof createVisitor>) => Promise<void>,
  ) => {
    skip(!canProtect(program), `${program} is not installed: CONTRIBUTING.md says what the suite needs`)
    const wiki = application.address() as AddressInfo
    const proxy = await protectingProxies[program]({ service: port, application: String(wiki.port) })
    asked.splice(0)
    try {
      await work(createVisitor(proxy.port))
    } finally {
      await proxy.stop()
    }
  }

  test('lets in who may, tells the application who, and closes at once', async ({ skip }) => {
    await withProxy(skip, new URL(world.url).port, async (visitor) => {
      const { open, jar } = visitor
      const stranger = await open('/page?x=1', page)
      expect([stranger.status, pathOf(stranger.location)]).toEqual([
        302,
        `/_rolecall/start?rd=${encodeURIComponent('/page?x=1')}`,
      ])
      expect((await open('/page')).status).toBe(401)
      const done = await logIn(visitor, stranger.location)
      expect([done.status, done.location]).toEqual([302, `https://${host}/page?x=1`])
      expect(asked).toEqual([])

      jar.set('theme', 'dark')
      jar.set('__Host-rolecall-8443', 'of-another-port')
      const forged = { 'Remote-User': 'root', Remote_User: 'root', 'Remote-Email': 'root@example.org' }
      const described = { 'X-Forwarded-Uri': '/root', 'X-Forwarded-Method': 'root' }
      const original = { 'X-Original-Url': 'https://root.test/' }
      const inside = await open('/page?x=1', { ...page, ...forged, ...described, ...original })
      expect([inside.status, inside.body]).toEqual([200, 'the wiki'])
      const headers: IncomingHttpHeaders = asked.at(-1)?.headers ?? {}
      // No other spelling of these names may reach the application, which may read every punctuation mark as "_".
      for (const name of [
        'Remote~User',
        'remote.user',
        'REMOTE_USER',
        "Remote'User",
        'Remote-Extra',
        'remote--user',
      ]) {
        const { status } = await open('/page?x=1', { [name]: 'root' })
        const { headers: seen = {} } = status === 200 ? (asked.at(-1) ?? {}) : {}
        expect(Object.values(seen).join(), name).not.toContain('root')
      }
      expect(headers['remote-member-id']).toBe(demo.users.ada)
      expect(Object.values(headers).join()).not.toContain('root')
      expect(headers.cookie).toContain('theme=dark')
      expect(headers.cookie).not.toContain('rolecall')
      expect(headers['x-forwarded-host']).toBe(host)
      jar.delete('__Host-rolecall-8443')

      world.sim.world.setRoles(demo.mainGuildId, demo.users.ada, [])
      await expect.poll(async () => (await open('/page')).status, { timeout: 5_000 }).toBe(403)
      const denied = await open('/page', page)
      const said = denied.status === 302 ? await open(pathOf(denied.location), page) : denied
      expect([said.status, said.body]).toEqual([403, expect.stringContaining('Crew')])
      world.sim.world.setRoles(demo.mainGuildId, demo.users.ada, [demo.roles.crew])
      await expect.poll(async () => (await open('/page')).status, { timeout: 5_000 }).toBe(200)

      const ownForm = { origin: `https://${host}`, 'sec-fetch-site': 'same-origin' }
      expect((await open('/_rolecall/logout', ownForm, 'POST')).status).toBe(200)
      expect((await open('/page')).status).toBe(401)
    })
  })

  test('leads through the login where Rolecall has the address that the proxy passes to', async ({
    skip,
  }) => {
    await withProxy(skip, new URL(world.url).port, async (visitor) => {
      const stranger = await visitor.open('/page?x=1', page)
      const start = await visitor.open(pathOf(stranger.location), page)
      expect(start.location.startsWith(`${world.url}/api/auth/sso/authorize?`), start.location).toBe(true)
    })
  })

  test('tells a program in JSON that it is refused, as the check does', async ({ skip }) => {
    await withProxy(skip, new URL(world.url).port, async (visitor) => {
      const { open } = visitor
      const stranger = await open('/page', { accept: 'application/json' })
      expect([stranger.status, stranger.type]).toEqual([
        401,
        expect.stringContaining('application/problem+json'),
      ])
      expect(JSON.parse(stranger.body)).toMatchObject({ status: 401, code: 'LOGIN_REQUIRED' })
      expect(pathOf(stranger.location)).toBe('/_rolecall/start?rd=%2Fpage')
      await logIn(visitor, (await open('/page', page)).location)
      world.sim.world.setRoles(demo.mainGuildId, demo.users.ada, [])
      await expect.poll(async () => (await open('/page')).status, { timeout: 5_000 }).toBe(403)
      const refused = await open('/page', { accept: 'application/json' })
      world.sim.world.setRoles(demo.mainGuildId, demo.users.ada, [demo.roles.crew])
      expect(refused.type).toContain('application/problem+json')
      expect(JSON.parse(refused.body)).toMatchObject({ status: 403, code: 'ROLE_LACKING' })
    })
  })

  test('carries a large upload, and each event as the application sends it', async ({ skip }) => {
    await withProxy(skip, new URL(world.url).port, async (visitor) => {
      const { open } = visitor
      await logIn(visitor, (await open('/page', page)).location)
      const upload = await open('/page', {}, 'POST', Buffer.alloc(3 * 1024 * 1024))
      expect([upload.status, upload.body]).toEqual([200, `${3 * 1024 * 1024} bytes`])
      const events = await open('/events', { accept: 'text/event-stream' })
      expect([events.status, events.body]).toEqual([200, 'data: 1\n\n'])
    })
  })

  test('a member whose requests carry a Remote header ends at a page, and not in a loop', async ({
    skip,
  }) => {
    await withProxy(skip, new URL(world.url).port, async (visitor) => {
      const { open } = visitor
      await logIn(visitor, (await open('/page', page)).location)
      const forged = { ...page, 'Remote-Extra': 'root' }
      let reply = await open('/page', forged)
      for (let hops = 0; hops < 4 && reply.status === 302; hops++)
        reply = await open(pathOf(reply.location), forged)
      // The proxy must remove the header, or reject the request with the reason.
      if (reply.status !== 200)
        expect([reply.status, reply.body]).toEqual([403, expect.stringContaining('Remote-')])
    })
  })

  test('no spelling of a path, and no header, brings a stranger to the application', async ({ skip }) => {
    await withProxy(skip, new URL(world.url).port, async ({ open }) => {
      const paths = [
        ...[
          '/',
          '//',
          '/secret',
          '/_rolecall',
          '/_ROLECALL/x',
          '/_rolecallx',
          '//_rolecall/x',
          '/./_rolecall/x',
        ],
        ...[
          '/_rolecall/../secret',
          '/_rolecall/%2e%2e/secret',
          '/_rolecall/..%2fsecret',
          '/_rolecall/..%5csecret',
        ],
        ...[
          '/_rolecall/..;/secret',
          '/_rolecall%2f..%2fsecret',
          '/%5frolecall/../secret',
          '/_rolecall\\..\\secret',
        ],
        ...[
          '/_rolecall/check',
          '/_rolecall/x?/../secret',
          '/_rolecall/;/../secret',
          '/_rolecall/.%2e/secret',
        ],
      ]
      for (const path of paths) expect([200, path]).not.toEqual([(await open(path)).status, path])
      const hopByHop = { connection: 'Cookie, Remote-User, X-Forwarded-Host, X-Forwarded-Uri' }
      for (const headers of [
        hopByHop,
        { 'X-Forwarded-Uri': '/_rolecall/start' },
        { 'X-Forwarded-Method': 'OPTIONS' },
        { 'X-Original-Url': 'https://wiki.example.org/_rolecall/start' },
        { Authorization: 'Basic cm9vdDpyb290', 'Remote-Member-Id': demo.users.ada },
      ] as Record<string, string>[])
        expect((await open('/secret', headers)).status).toBeGreaterThanOrEqual(400)
      for (const method of ['POST', 'OPTIONS', 'HEAD', 'PROPFIND'])
        expect((await open('/secret', {}, method)).status).toBeGreaterThanOrEqual(400)
      expect(asked).toEqual([])
    })
  })

  test('lets no visitor in while Rolecall does not respond', async ({ skip }) => {
    const nothing = createServer()
    await new Promise<void>((resolve) => nothing.listen(0, '127.0.0.1', resolve))
    const { port } = nothing.address() as AddressInfo
    await new Promise((resolve) => nothing.close(resolve))
    await withProxy(skip, String(port), async ({ open }) => {
      expect((await open('/secret', page)).status).toBeGreaterThanOrEqual(500)
      expect(asked).toEqual([])
    })
  })
})
