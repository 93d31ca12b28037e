import { readFileSync } from 'node:fs'
import { demo } from '@rolecall/chat-sim'
import { beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { Browser, type GivenProject, givenProject, givenSession } from '../../../test/given.ts'
import { sendRaw } from '../../../test/raw-http.ts'
import { startWorld } from '../../../test/service.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { listProtectedHosts } from './store.ts'

const wiki = 'wiki.example.org'
const navigates = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html' }

describe.each(ciEngines)('forward authentication on %s', (engine) => {
  let project: GivenProject
  let hosts = 0
  let host: string
  const world = worldForTests(engine, { TRUST_PROXY: '127.0.0.1,::1', RATE_LIMIT_GLOBAL: '0' })
  const admin = adminForTests(world)
  beforeEach(async () => {
    hosts += 1
    host = `${hosts}.${wiki}`
    project = await givenProject(world, { isInternal: true })
    await protect({ hosts: [host] })
  })

  const protect = async (forwardAuth: object, id = project.id, status = 200) => {
    const reply = await call(world.url, 'PATCH', `/api/admin/projects/${id}`, {
      ...admin,
      body: { forwardAuth },
    })
    expect(reply.status, reply.text).toBe(status)
    return reply.body
  }
  const asked = (headers: Record<string, string> = {}) => ({
    ...{ 'x-forwarded-proto': 'https', 'x-forwarded-host': host },
    ...{ 'x-forwarded-uri': '/page?x=1', 'x-forwarded-method': 'GET' },
    ...headers,
  })
  const check = (headers: Record<string, string> = {}, query = '', url = world.url) =>
    call(url, 'GET', `/api/forward-auth${query}`, { headers: asked(headers) })

  /** The same as bytes: an HTTP client sets its fetch headers itself. */
  const ask = (headers: Record<string, string>, query = '') => {
    const lines = Object.entries({ host: 'rolecall', connection: 'close', ...asked(headers) })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    return sendRaw(world.url, `GET /api/forward-auth${query} HTTP/1.1\r\n${head}\r\n`)
  }

  /** Signs in through the host's own pages, as a browser behind the proxy would, and returns its cookie. */
  const logIn = async (as: string, rd = '/page?x=1', onHost = new Browser(world.url)) => {
    const onService = new Browser(world.url)
    const start = await onHost.get(`/_rolecall/start?rd=${encodeURIComponent(rd)}`, asked())
    expect(start.status, start.text).toBe(302)
    const authorize = await onService.get(pathOf(start))
    const back = await world.sim.login(authorize.headers.get('location') ?? '', { as })
    const callback = await onService.get(new URL(back).pathname + new URL(back).search)
    const end = new URL(callback.headers.get('location') ?? '')
    expect(end.origin).toBe(`https://${host}`)
    const done = await onHost.get(end.pathname + end.search, asked())
    return { done, cookie: onHost.cookie, jar: onHost.jar, end }
  }
  const pathOf = (reply: { headers: Headers }) => {
    const { pathname, search } = new URL(reply.headers.get('location') ?? '')
    return pathname + search
  }

  test('who may pass is answered at once as behind the framework, and is refused as soon as the rule asks for more', async () => {
    await protect({ anyOf: [demo.roles.crew] })
    const { cookie } = await logIn(demo.users.ada)
    // An address in another form is not answered from the fast path.
    const [atOnce, behind] = [await check({ cookie }), await check({ cookie }, '?redirect=false')]
    const told = ({ status, headers }: typeof atOnce) => [
      status,
      Object.fromEntries([...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id')),
    ]
    expect(told(atOnce)).toEqual(told(behind))
    expect(atOnce.headers.get('x-request-id')).toMatch(/./)
    await protect({ anyOf: [demo.roles.captain] })
    expect((await check({ cookie })).status).toBe(403)
  })

  test('a request with a header that an application could take for ours is refused, for every sign after the first word', async () => {
    const { cookie } = await logIn(demo.users.ada)
    for (const name of ['remote-user', 'remote_user', 'remote~user', 'remote.user', 'remote-extra']) {
      const reply = await check({ cookie: String(cookie), [name]: 'root' })
      expect([reply.status, reply.body?.code], name).toEqual([403, 'FORWARDED_REQUEST_INVALID'])
      expect(reply.body.detail).toMatch(/^The request has a Remote-… header/)
    }
    expect((await check({ cookie, remoteness: 'far' })).status).toBe(200)
  })

  test('a login that a proxy leads back to its host ends in a page that names the cause', async () => {
    const start = (rd: string) =>
      new Browser(world.url).get(
        `/_rolecall/start?rd=${encodeURIComponent(rd)}`,
        asked({ accept: 'text/html' }),
      )
    const login = new URL((await start('/page')).headers.get('location') ?? '')
    const loop = await start(login.pathname + login.search)
    expect([loop.status, loop.headers.get('location')]).toEqual([400, null])
    expect(loop.text).toContain('proxy_redirect off')
    // Another application's own sign-in is a page like any other.
    expect((await start('/api/auth/authorize?redirect_uri=https://other.example/')).status).toBe(302)
  })

  test('Traefik is answered by the headers that its documentation names, and takes over all six and nothing else', async () => {
    const text = readFileSync(new URL('../../../../../deploy/proxies/traefik.yml', import.meta.url), 'utf8')
    const read = (key: string) => new RegExp(`${key}: "?([^"\\n]+)"?`).exec(text)?.[1] ?? ''
    const { pathname, search } = new URL(read('address'))
    expect([pathname, read('trustForwardHeader')]).toEqual(['/api/forward-auth', 'false'])
    const { cookie } = await logIn(demo.users.ada)
    // https://doc.traefik.io/traefik/reference/routing-configuration/http/middlewares/forwardauth/, and the other
    // headers that it sends.
    const traefik = {
      ...{ 'x-forwarded-method': 'GET', 'x-forwarded-proto': 'https', 'x-forwarded-host': host },
      ...{ 'x-forwarded-uri': '/page?x=1', 'x-forwarded-for': '203.0.113.9' },
      ...{ 'x-forwarded-port': '443', 'x-forwarded-server': 'traefik-7f', 'x-real-ip': '203.0.113.9' },
    }
    const stranger = await ask({ ...traefik, ...navigates }, search)
    expect([stranger.status, stranger.headers['location']]).toEqual([
      302,
      `https://${host}/_rolecall/start?rd=${encodeURIComponent('/page?x=1')}`,
    ])
    const passed = await check({ ...traefik, cookie }, search)
    expect(passed.status).toBe(200)
    const taken = new RegExp(read('authResponseHeadersRegex'), 'i')
    expect([...passed.headers.keys()].filter((name) => taken.test(name))).toEqual([
      ...[
        'remote-email',
        'remote-groups',
        'remote-member-id',
        'remote-name',
        'remote-role-ids',
        'remote-user',
      ],
    ])
    // -Prefix and -Port do not select another path or host (CVE-2026-35051, CVE-2026-54764).
    const moved = { ...traefik, cookie, 'x-forwarded-prefix': '/_rolecall', 'x-forwarded-port': '8443' }
    expect((await check(moved, search)).headers.get('remote-member-id')).toBe(demo.users.ada)
  })

  test('a member logs in on the host, comes back to the page, and passes with who they are', async () => {
    const { done, cookie, jar } = await logIn(demo.users.ada)
    expect(done.status).toBe(302)
    expect(done.headers.get('location')).toBe(`https://${host}/page?x=1`)
    expect([...jar.keys()]).toEqual(['__Host-rolecall'])
    const passed = await check({ cookie })
    expect(passed.status, passed.text).toBe(200)
    expect(passed.headers.get('remote-member-id')).toBe(demo.users.ada)
    for (const name of ['user', 'name', 'email', 'groups', 'role-ids'])
      expect(passed.headers.get(`remote-${name}`), name).not.toBeNull()
    expect(passed.headers.get('cache-control')).toBe('no-store')
    expect(passed.headers.get('strict-transport-security')).toBeNull()
  })

  test('a visitor without a session is told where to sign in: programs by 401, pages by 302 if the proxy asks for it', async () => {
    const login = `https://${host}/_rolecall/start?rd=${encodeURIComponent('/page?x=1')}`
    const program = await check({}, '?redirect=true')
    expect([program.status, program.headers.get('location')]).toEqual([401, login])
    const load = async (headers: Record<string, string>, query = '?redirect=true') =>
      (await ask({ ...navigates, ...headers }, query)).status
    const page = await ask(navigates, '?redirect=true')
    expect([page.status, page.headers['location']]).toEqual([302, login])
    expect(await load({}, '')).toBe(401)
    expect(await load({ 'sec-fetch-dest': 'iframe' })).toBe(401)
    expect(await load({ 'sec-fetch-mode': 'cors' })).toBe(401)
    expect(await load({ 'x-forwarded-method': 'POST' })).toBe(401)
  })

  test('a role is needed at once where one is asked for, and its page names it', async () => {
    const { cookie } = await logIn(demo.users.ada)
    await protect({ anyOf: [demo.roles.captain] })
    expect((await check({ cookie })).status).toBe(403)
    const denied = await call(world.url, 'GET', '/_rolecall/denied', {
      headers: asked({ accept: 'text/html' }),
    })
    expect(denied.status).toBe(403)
    expect(denied.text).toContain('Captain')
    await protect({ anyOf: [] })
    expect((await check({ cookie })).status).toBe(200)
  })

  test('the page of a lacking role looks again, and leads back to the path that was refused', async () => {
    const { cookie } = await logIn(demo.users.ada)
    await protect({ anyOf: [demo.roles.captain] })
    const denied = (await check({ cookie })).headers.get('location') ?? ''
    expect(denied).toBe(`https://${host}/_rolecall/denied?rd=${encodeURIComponent('/page?x=1')}`)
    const open = (path: string) =>
      call(world.url, 'GET', path, { headers: asked({ cookie, accept: 'text/html' }) })
    const { pathname, search } = new URL(denied)
    const refused = await open(pathname + search)
    // A page that is loaded again is listed once.
    await open(pathname + search)
    await world.service.recorder.flush()
    const listed = `/api/admin/refused-logins?projectId=${project.id}`
    expect((await call(world.url, 'GET', listed, admin)).body.data).toMatchObject([
      { memberId: demo.users.ada, code: 'role_lacking', step: 'host.any_of', serverId: demo.mainGuildId },
    ])
    expect([refused.status, refused.text.includes(`href="https://${host}/page?x=1"`)]).toEqual([403, true])
    expect((await open(`${pathname}?rd=//evil.test`)).text).toContain(`href="https://${host}//evil.test"`)
    await protect({ anyOf: [] })
    expect((await open(pathname + search)).headers.get('location')).toBe(`https://${host}/page?x=1`)
    expect((await open(pathname)).headers.get('location')).toBe(`https://${host}/`)
  })

  test('a role that the server does not have is refused when it is named, in the rule and among owners', async () => {
    const nobody = '123456789012345678'
    const patch = (body: object) =>
      call(world.url, 'PATCH', `/api/admin/projects/${project.id}`, { ...admin, body })
    for (const [body, path] of [
      [{ forwardAuth: { anyOf: [demo.roles.crew, nobody] } }, '/forwardAuth/anyOf/1'],
      [{ owners: { roleIds: [nobody] } }, '/owners/roleIds/0'],
    ] as const) {
      const reply = await patch(body)
      expect([reply.status, reply.body.errors?.[0].path], reply.text).toEqual([400, path])
    }
    expect((await patch({ owners: { roleIds: [demo.roles.crew] } })).status).toBe(200)
    await patch({ owners: {} })
  })

  test('a program that takes anything is refused in JSON; a page has to be asked for', async () => {
    for (const accept of ['*/*', 'application/json']) {
      const { headers } = await check({ accept, 'x-forwarded-host': 'evil.test' })
      expect(headers.get('content-type'), accept).toContain('application/problem+json')
    }
    const { headers } = await check({ accept: 'text/html,*/*', 'x-forwarded-host': 'evil.test' })
    expect(headers.get('content-type')).toContain('text/html')
  })

  test('doctor is told of every host that is protected', async () => {
    expect(await listProtectedHosts(world.service.deps.db)).toContain(host)
  })

  test('a session that ended is refused by the next request', async () => {
    const { cookie } = await logIn(demo.users.ada)
    expect((await check({ cookie })).status).toBe(200)
    await call(world.url, 'POST', '/api/auth/logout-all', {
      key: project.key,
      body: { memberId: demo.users.ada },
    })
    expect((await check({ cookie })).status).toBe(401)
  })

  test('the cookie counts on its own hosts only, and nowhere as a token', async () => {
    const { cookie } = await logIn(demo.users.ada)
    const token = cookie.slice('__Host-rolecall='.length)
    const profile = await call(world.url, 'GET', '/api/auth/sessions', { token })
    expect(profile.status).toBe(401)
    const validated = () =>
      call(world.url, 'POST', '/api/auth/validate', { key: project.key, body: { token } })
    expect((await validated()).status).toBe(401)
    // The same holds once key and session are answered from memory.
    expect((await check({ cookie })).status).toBe(200)
    const own = await givenSession(world, project)
    await call(world.url, 'POST', '/api/auth/validate', { key: project.key, body: { token: own.token } })
    for (let times = 0; times < 3; times++) expect((await validated()).status).toBe(401)
    const other = await givenProject(world, { isInternal: true })
    await protect({ hosts: [`other-${host}`] }, other.id)
    expect((await check({ cookie, 'x-forwarded-host': `other-${host}` })).status).toBe(401)
    const mistyped = `${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}`
    const another = await check({ cookie: `__Host-rolecall=${mistyped}` })
    expect(another.status).toBe(401)
  })

  test('a browser is logged in to two ports of one name at once, and by the cookie of one not to the other', async () => {
    const name = host
    const browser = new Browser(world.url)
    await protect({ hosts: [name, `${name}:8443`] })
    await logIn(demo.users.ada, '/', browser)
    host = `${name}:8443`
    expect((await check({ cookie: browser.cookie })).status).toBe(401)
    await logIn(demo.users.joon, '/', browser)
    const whoIsIn = async () => (await check({ cookie: browser.cookie })).headers.get('remote-member-id')
    expect(await whoIsIn()).toBe(demo.users.joon)
    host = name
    expect(await whoIsIn()).toBe(demo.users.ada)
    expect([...browser.jar.keys()].sort()).toEqual(['__Host-rolecall', '__Host-rolecall-8443'])
  })

  test('logging out takes a form of the very host, and ends the session', async () => {
    const { cookie } = await logIn(demo.users.ada)
    const logOut = (headers: Record<string, string>) =>
      call(world.url, 'POST', '/_rolecall/logout', { headers: asked({ cookie, ...headers }) })
    expect((await logOut({ 'sec-fetch-site': 'same-site', origin: 'https://evil.example.org' })).status).toBe(
      403,
    )
    expect((await check({ cookie })).status).toBe(200)
    const page = await call(world.url, 'GET', '/_rolecall/logout', {
      headers: asked({ accept: 'text/html' }),
    })
    expect(page.text).toContain('<form method="post"')
    const out = await logOut({ 'sec-fetch-site': 'same-origin', origin: `https://${host}` })
    expect(out.status).toBe(200)
    // Another sign-in in this browser would not even be noticed.
    expect(out.text).toContain(`href="${world.url}/account/log-out"`)
    expect((await check({ cookie })).status).toBe(401)
  })

  test('a login is of the browser that began it, of the path that it began with, and counts once', async () => {
    const { end, cookie } = await logIn(demo.users.ada)
    const callback = (search: string, sent: string) =>
      call(world.url, 'GET', `/_rolecall/callback?${search}`, { headers: asked({ cookie: sent }) })
    expect((await callback(end.search.slice(1), cookie)).body.code).toBe('LOGIN_REQUEST_INVALID')
    const onHost = new Browser(world.url)
    const start = await onHost.get('/_rolecall/start?rd=/mine', asked())
    const authorize = await new Browser(world.url).get(pathOf(start))
    expect(authorize.status).toBe(302)
    const state = new URL(start.headers.get('location') ?? '').searchParams.get('state') ?? ''
    const forged = new URLSearchParams({ code: 'x', state: state.replace('/mine', '/theirs') })
    expect((await callback(String(forged), onHost.cookie)).body.code).toBe('LOGIN_REQUEST_INVALID')
  })

  test('what cannot be understood, or was not sent by a trusted proxy, never passes', async () => {
    const { cookie } = await logIn(demo.users.ada)
    const wrong: [name: string, value: string, detail: RegExp][] = [
      ['x-forwarded-proto', 'ftp', /^X-Forwarded-Proto is missing, repeated, or none of/],
      ['x-forwarded-proto', 'constructor', /^X-Forwarded-Proto is missing/],
      ['x-forwarded-proto', '__proto__', /^X-Forwarded-Proto is missing/],
      ['x-forwarded-proto', 'http', /^X-Forwarded-Proto must be https/],
      ['x-forwarded-host', `${host}.`, /^X-Forwarded-Host is missing, repeated, or not a valid host/],
      ['x-forwarded-host', `${host}, evil.test`, /^X-Forwarded-Host is missing/],
      ['x-forwarded-host', `x@${host}`, /^X-Forwarded-Host is missing/],
      ['x-forwarded-host', `${host}:0443`, /^X-Forwarded-Host is missing/],
      ['x-forwarded-host', 'evil.test', /^Ask a System Admin to open, in the console, the Proxy tab/],
      ['x-forwarded-uri', 'https://evil.test/', /^X-Forwarded-Uri is repeated, or not a path/],
      ['x-original-url', 'https://evil.test/page?x=1', /^X-Original-URL contradicts X-Forwarded-Proto/],
      ['x-original-url', `https://${host}/other`, /^X-Original-URL contradicts/],
    ]
    for (const [name, value, detail] of wrong) {
      const reply = await check({ cookie, [name]: value })
      expect(reply.status, `${name}: ${value}`).toBe(403)
      expect(reply.body.detail).toMatch(detail)
    }
    const page = await call(world.url, 'GET', '/_rolecall/start', {
      headers: asked({ accept: 'text/html', 'x-forwarded-proto': 'http' }),
    })
    expect(page.text).toContain('X-Forwarded-Proto must be https')
    expect(
      (await check({ cookie, 'x-original-url': `https://${host.toUpperCase()}:443/page?x=1` })).status,
    ).toBe(200)
    expect((await check({ cookie, 'x-forwarded-host': `${host.toUpperCase()}:443` })).status).toBe(200)
    expect((await check({ cookie, 'x-forwarded-proto': 'wss' })).status).toBe(200)
  })

  test('a request with a body, or a length of one, is refused with its connection', async () => {
    for (const length of [
      { 'content-length': '5' },
      { 'content-length': '0' },
      { 'transfer-encoding': 'chunked' },
    ]) {
      const reply = await ask(length as Record<string, string>)
      expect([reply.status, reply.headers['connection']]).toEqual([400, 'close'])
      expect(JSON.parse(reply.body)).toMatchObject({
        code: 'BAD_REQUEST',
        detail: expect.stringMatching(/^This check has no body\. Configure the reverse proxy to remove/),
      })
    }
  })

  test('a login that ends without a session says why, with the way back', async () => {
    const onHost = new Browser(world.url)
    const onService = new Browser(world.url)
    const start = await onHost.get('/_rolecall/start?rd=/', asked())
    const authorize = await onService.get(pathOf(start))
    const back = await world.sim.login(authorize.headers.get('location') ?? '', { as: demo.users.emil })
    const end = pathOf(await onService.get(new URL(back).pathname + new URL(back).search))
    const refused = await onHost.get(end, asked({ accept: 'text/html' }))
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('not a member of the server Harbour Club')
    expect(refused.text).toContain(`href="https://${host}/"`)
  })

  test('a host belongs to one project, and is free when that project is deleted', async () => {
    const other = await givenProject(world)
    expect(await protect({ hosts: [host.toUpperCase()] }, other.id, 409)).toMatchObject({
      code: 'HOST_TAKEN',
      errors: [{ path: '/forwardAuth/hosts', code: 'TAKEN' }],
    })
    await call(world.url, 'DELETE', `/api/admin/projects/${project.id}`, admin)
    expect((await check()).body.code).toBe('HOST_UNKNOWN')
    await protect({ hosts: [host] }, other.id)
    for (const wrong of ['a.test.', 'a,b', 'x@a.test', 'a.test:0', ''])
      await protect({ hosts: [wrong] }, other.id, 400)
    await protect({ serverId: '111111111111111111' }, other.id, 400)
  })

  test('the record says what is protected, for every author', async () => {
    const made = await call(world.url, 'POST', '/api/admin/projects', {
      ...admin,
      body: {
        name: `Wiki ${host}`,
        forwardAuth: { hosts: [`NEW-${host}:443`], anyOf: [demo.roles.crew], remoteUser: 'id' },
      },
    })
    expect(made.body.project.forwardAuth).toEqual({
      hosts: [`new-${host}`],
      serverId: demo.mainGuildId,
      anyOf: [demo.roles.crew],
      remoteUser: 'id',
    })
  })
})

test('a service that trusts no proxy refuses everybody, and says why', async () => {
  const world = await startWorld('pglite', {})
  const reply = await call(world.url, 'GET', '/api/forward-auth', {
    headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': wiki },
  })
  expect(reply.body.code).toBe('PROXY_NOT_TRUSTED')
  expect(reply.body.detail).toContain('TRUST_PROXY')
  await world.close()
})
