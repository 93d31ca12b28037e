import type { ServerResponse } from 'node:http'
import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { startDocumentServer } from '../../../test/document-server.ts'
import { Browser, type GivenProject, givenAdmin } from '../../../test/given.ts'
import { countLockWaits } from '../../../test/lock-waits.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { givenClient, introspect, pkce, postForm, walk } from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'
import { createFindDocument } from './client-documents.ts'

const { users } = demo
const [notes, closed, maps] = ['https://notes.example/mcp', 'https://closed.example/mcp', 'urn:example:maps']
const back = 'http://127.0.0.1:51004/callback'
const html = { accept: 'text/html' }

describe.each(ciEngines)('programs with client ID metadata documents, on %s', (engine) => {
  const site = madeForTests(startDocumentServer, (started) => started.close())
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '0', RATE_LIMIT_GLOBAL: '0' })
  let notesApi: GivenProject
  let mapsApi: GivenProject
  beforeAll(async () => {
    const clientHosts = [site.host]
    notesApi = await givenClient(world, { name: 'Notes', oidc: { resources: [notes], clientHosts } })
    mapsApi = await givenClient(world, { name: 'Maps', oidc: { resources: [maps], clientHosts } })
    await givenClient(world, { name: 'Closed', oidc: { resources: [closed] } })
  })

  const { verifier, challenge } = pkce()
  const request = (client_id: string, more: Record<string, string> = {}) =>
    `/oidc/auth?${new URLSearchParams({
      ...{ client_id, redirect_uri: back, response_type: 'code', scope: 'openid roles offline_access' },
      ...{ state: 'a-state', code_challenge: challenge, code_challenge_method: 'S256', resource: notes },
      ...more,
    })}`
  const token = (client_id: string, form: Record<string, string>) =>
    postForm(world.url, '/oidc/token', { client_id, ...form })
  const redeem = (client_id: string, code: string) =>
    token(client_id, {
      ...{ grant_type: 'authorization_code', code, redirect_uri: back },
      ...{ code_verifier: verifier, resource: notes },
    })
  const codeOf = async (client_id: string, browser = new Browser(world.url)) =>
    (await walk(world, request(client_id), { browser })).searchParams.get('code') ?? ''
  const signIn = async (client_id: string, browser?: Browser) =>
    (await redeem(client_id, await codeOf(client_id, browser))).body
  const seenBy = async (project: GivenProject, access_token: string) =>
    (await introspect(world, project, access_token)).body
  const admin = async (method: string, path: string, body?: object) =>
    call(world.url, method, `/api/admin${path}`, { token: await givenAdmin(world), body })
  const inactive = { active: false }
  /** Returns the page for a request that names no usable client. */
  const refused = async (client_id: string, more: Record<string, string> = {}) => {
    const reply = await call(world.url, 'GET', request(client_id, more), { headers: html })
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
    return reply.text
  }

  test('a program that no project registered gets a token for the API that lists its host', async () => {
    const id = site.publish('/program')
    const tokens = await signIn(id)
    expect(await seenBy(notesApi, tokens.access_token)).toMatchObject({
      ...{ active: true, aud: notes, client_id: id, sub: users.ada, role_ids: [demo.roles.crew] },
    })
    expect(await seenBy(mapsApi, tokens.access_token)).toEqual(inactive)
    const fresh = await token(id, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
    expect(await seenBy(notesApi, fresh.body.access_token)).toMatchObject({ active: true, client_id: id })
    expect((await token(id, { grant_type: 'refresh_token', refresh_token: 'rcf_x' })).body.error).toBe(
      'invalid_grant',
    )
    await postForm(world.url, '/oidc/revoke', { client_id: id, token: fresh.body.refresh_token })
    expect(await seenBy(notesApi, fresh.body.access_token)).toEqual(inactive)
  })

  test('tokens work while the site of the document is gone', async () => {
    const id = site.publish('/gone')
    const code = await codeOf(id)
    site.answer('/gone', (_, response) => response.writeHead(503).end())
    const asked = site.requestsFor('/gone')
    const tokens = (await redeem(id, code)).body
    const fresh = await token(id, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
    expect(await seenBy(notesApi, fresh.body.access_token)).toMatchObject({ active: true })
    expect(site.requestsFor('/gone')).toBe(asked)
  })

  test('a document is fetched once for several sign-ins', async () => {
    const id = site.publish('/cached', {}, { 'cache-control': 'public, max-age=3600' })
    await Promise.all([1, 2, 3].map(() => signIn(id)))
    await signIn(id)
    expect(site.requestsFor('/cached')).toBe(1)
  })

  test.each<[string, Record<string, string> | undefined, number]>([
    ['that states no lifetime', {}, 300],
    ['that states a lifetime', { 'cache-control': 'public, max-age=100' }, 100],
    ['that must not be stored', { 'cache-control': 'no-store, max-age=100' }, 30],
    ['that states a year', { 'cache-control': 'max-age=31536000' }, 3_600],
    ['that cannot be used', undefined, 10],
  ])('a document %s is fetched again after its time', async (name, headers, seconds) => {
    const path = `/lifetime/${encodeURIComponent(name)}`
    const id = site.publish(path, headers ? {} : { redirect_uris: [] }, headers)
    let nowMs = 0
    const { db, get } = world.service.deps
    const findDocument = createFindDocument(db, { get, readUrl: (text) => text, now: () => nowMs })
    const find = () => findDocument(id).catch(() => undefined)
    await find()
    nowMs = seconds * 1_000 - 1
    await find()
    expect(site.requestsFor(path)).toBe(1)
    nowMs += 1
    await find()
    expect(site.requestsFor(path)).toBe(2)
  })

  test('made-up addresses displace no document, and hold no more than four fetches of a host', async () => {
    const id = site.publish('/stays', {}, { 'cache-control': 'max-age=3600' })
    const { db, get } = world.service.deps
    const findDocument = createFindDocument(db, { get, readUrl: (text) => text })
    const outcome = (path: string) =>
      findDocument(site.idOf(path)).then(
        () => 'found',
        (error: { error_description?: string }) => error.error_description ?? '',
      )
    await findDocument(id)
    for (let i = 0; i < 201; i++) expect(await outcome(`/made-up/${i}`)).toContain('returned status 404')
    await findDocument(id)
    expect(site.requestsFor('/stays')).toBe(1)
    const held: ServerResponse[] = []
    const slow = [1, 2, 3, 4].map((i) => {
      site.answer(`/slow/${i}`, (_, response) => void held.push(response))
      return outcome(`/slow/${i}`)
    })
    await expect.poll(() => held.length).toBe(4)
    expect(await outcome('/slow/5')).toContain('too many documents are being fetched')
    for (const response of held) response.writeHead(404).end()
    expect(await Promise.all(slow)).toEqual(slow.map(() => expect.stringContaining('returned status 404')))
  })

  test('the consent page names the address of the document and where the member returns', async () => {
    const id = site.publish('/named', { client_name: 'Rolecall Official', logo_uri: 'https://evil.example/' })
    const browser = new Browser(world.url)
    await signIn(site.publish('/first'), browser)
    const to = (await browser.get(request(id))).headers.get('location') ?? ''
    const { text } = await browser.get(to)
    expect(text).toContain(`Sign in to ${site.host}?`)
    expect(text).toContain(`This program is described at ${id}. After you sign in, you return to ${back}.`)
    expect(text).toContain(`${site.host} will be able to use Notes (${notes}) with your account.`)
    expect(text).not.toContain('Rolecall Official')
    expect(text).not.toContain('evil.example')
    const denied = await walk(world, request(id), { browser, decision: 'deny' })
    expect(denied.searchParams.get('error')).toBe('access_denied')
  })

  test('a member agrees to each program, and withdraws from one alone', async () => {
    const [one, other] = [site.publish('/one'), site.publish('/other')]
    const browser = new Browser(world.url)
    const tokens = await Promise.all([await signIn(one, browser), await signIn(other, browser)])
    const silent = async (id: string, more = {}) => {
      const end = await walk(world, request(id, { prompt: 'none', ...more }), { browser })
      return end.searchParams.get('error') ?? 'a code'
    }
    expect(await silent(one)).toBe('a code')
    expect(await silent(one, { resource: maps })).toBe('consent_required')
    // Any program of the member's machine can listen there.
    expect(await silent(one, { redirect_uri: 'http://127.0.0.1:6666/callback' })).toBe('consent_required')
    expect(await silent(site.publish('/third'))).toBe('consent_required')
    // The member consents to one address at a time, because the port differs with each start of the program.
    const elsewhere = { redirect_uri: 'http://127.0.0.1:51005/callback' }
    await walk(world, request(other, elsewhere), { browser })
    expect([await silent(other, elsewhere), await silent(other)]).toEqual(['a code', 'consent_required'])
    await walk(world, request(other), { browser })
    const { text } = await browser.get('/account', html)
    for (const id of [one, other]) expect(text.split(id).length).toBeGreaterThan(3)
    const path = /action="([^"]*withdraw[^"]*%2Fone)"/.exec(text)?.[1] ?? ''
    const form = await postForm(
      world.url,
      path.replaceAll('&amp;', '&').replaceAll('&#38;', '&'),
      {},
      {
        ...{ cookie: browser.cookie, origin: world.url, ...html },
      },
    )
    expect(form.status).toBe(303)
    expect(await seenBy(notesApi, tokens[0].access_token)).toEqual(inactive)
    expect(await seenBy(notesApi, tokens[1].access_token)).toMatchObject({ active: true })
    expect([await silent(one), await silent(other)]).toEqual(['consent_required', 'a code'])
  })

  test('a host that leaves the list ends sign-ins, codes, and tokens with the next request', async () => {
    const api = 'https://short.example/'
    const project = await givenClient(world, { oidc: { resources: [api], clientHosts: [site.host] } })
    const id = site.publish('/leaves')
    const set = (clientHosts: string[]) =>
      admin('PATCH', `/projects/${project.id}`, { oidc: { clientHosts } })
    const begin = async () =>
      (await walk(world, request(id, { resource: api }))).searchParams.get('code') ?? ''
    const form = { grant_type: 'authorization_code', redirect_uri: back, code_verifier: verifier }
    const tokens = (await token(id, { ...form, code: await begin() })).body
    const code = await begin()
    expect(await seenBy(project, tokens.access_token)).toMatchObject({ active: true })
    expect((await set(['tools.example', 'other.example'])).status).toBe(200)
    expect(await seenBy(project, tokens.access_token)).toEqual(inactive)
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    expect((await token(id, refresh)).body.error).toMatch(/^invalid_(grant|target)$/)
    expect((await token(id, { ...form, code })).body.error).toMatch(/^invalid_(grant|target)$/)
    const end = await walk(world, request(id, { resource: api }))
    expect(end.searchParams.get('error')).toBe('invalid_target')
    await set([site.host])
    expect(await seenBy(project, tokens.access_token)).toEqual(inactive)
    expect((await token(id, { ...form, code: await begin() })).body.access_token).toMatch(/^rct_/)
    const { body } = await admin('GET', '/audit/logs?actionType=project&limit=2')
    expect(body.data[1].changes.oidc.after.clientHosts).toEqual(['tools.example', 'other.example'])
    await set([])
  })

  test('a host that leaves the list during a sign-in gets no code of it', async () => {
    // PGlite has one connection: no transaction can hold a row while a sign-in continues.
    if (engine !== 'postgres') return
    const api = 'https://leaves-now.example/'
    const project = await givenClient(world, { oidc: { resources: [api], clientHosts: [site.host] } })
    const id = site.publish('/leaves-now')
    const browser = new Browser(world.url)
    await walk(world, request(id, { resource: api }), { browser })
    const { db } = world.service.deps
    const waiting = () => countLockWaits(db)
    const ends = await db.transaction(async (tx) => {
      await tx.execute(sql`update oidc_clients set client_hosts = '{}' where project_id = ${project.id}`)
      const end = walk(world, request(id, { resource: api, prompt: 'none' }), { browser })
      await Promise.race([end, expect.poll(waiting).toBeGreaterThan(0)])
      return [end]
    })
    const [end] = await Promise.all(ends)
    expect([end?.searchParams.get('error'), end?.searchParams.get('code')]).toEqual(['access_denied', null])
  })

  test('a program that names no resource, or one of a project that does not list its host, is told so', async () => {
    const id = site.publish('/told')
    const ask = async (path: string) => (await walk(world, path)).searchParams
    const none = await ask(request(id).replace(/&resource=[^&]*/, ''))
    expect([none.get('error'), none.get('error_description')]).toEqual([
      'invalid_target',
      'a client with a metadata document must name an API as resource',
    ])
    const other = await ask(request(id, { resource: closed }))
    expect([other.get('error'), other.get('error_description')]).toEqual([
      'invalid_target',
      `the project of this resource does not list the host ${site.host} in oidc.clientHosts`,
    ])
  })

  test('a host that no project lists is refused, and nothing is fetched', async () => {
    const stranger = await startDocumentServer()
    const id = stranger.publish('/program')
    expect(await refused(id)).toContain(`no project lists the host ${stranger.host}`)
    const pushed = await postForm(world.url, '/oidc/par', { client_id: id, redirect_uri: back })
    expect(pushed.body).toMatchObject({ error: 'invalid_client' })
    expect((await token(id, { grant_type: 'refresh_token', refresh_token: 'x' })).status).toBe(400)
    expect(stranger.requestsFor('/program')).toBe(0)
    await stranger.close()
  })

  test('discovery announces documents while a project accepts some', async () => {
    const announced = async () =>
      (await call(world.url, 'GET', '/.well-known/openid-configuration')).body
        .client_id_metadata_document_supported
    expect(await announced()).toBe(true)
    const lists = [notesApi, mapsApi].map(({ id }) => id)
    for (const id of lists) await admin('PATCH', `/projects/${id}`, { oidc: { clientHosts: [] } })
    expect(await announced()).toBeUndefined()
    for (const id of lists) await admin('PATCH', `/projects/${id}`, { oidc: { clientHosts: [site.host] } })
    expect(await announced()).toBe(true)
  })

  test.each<[string, object, string]>([
    ['of another client', { client_id: 'https://other.example/' }, 'client_id must be exactly'],
    ['of a registered project', { client_id: '01900000-0000-7000-8000-000000000000' }, 'client_id must be'],
    ['without addresses', { redirect_uris: [] }, 'redirect_uris must be a list of 1 to 20'],
    ['with a script', { redirect_uris: ['javascript:alert(1)'] }, 'redirect_uris[0] must begin with https'],
    ['with a homograph', { redirect_uris: ['https://аpple.example/'] }, 'redirect_uris[0] must be ASCII'],
    ['with plain http', { redirect_uris: ['http://tools.example/'] }, 'redirect_uris[0] must begin with'],
    ['with a secret', { client_secret: 'x' }, 'client_secret must not be'],
    ['with a method', { token_endpoint_auth_method: 'private_key_jwt' }, 'token_endpoint_auth_method must'],
  ])('a document %s is refused', async (name, document, problem) => {
    const id = site.publish(`/bad/${encodeURIComponent(name)}`, document)
    expect(await refused(id)).toContain(problem)
  })

  test('a refusal names every problem', async () => {
    const id = site.publish('/many', {
      ...{ client_id: 1, redirect_uris: [1, 'data:x'], client_secret_expires_at: 0 },
      ...{
        grant_types: ['implicit'],
        response_types: 'code',
        token_endpoint_auth_method: 'client_secret_post',
      },
    })
    const text = await refused(id)
    for (const problem of [
      ...[
        'client_id must',
        'redirect_uris[0] must',
        'redirect_uris[1] must',
        'client_secret_expires_at must',
      ],
      ...['grant_types must', 'response_types must', 'token_endpoint_auth_method must'],
    ])
      expect(text).toContain(problem)
  })

  test('a document sets nothing but redirect URIs', async () => {
    const id = site.publish('/sets', {
      ...{ rolecall: { kind: 'project', isInternal: true, name: 'Notes' }, jwks_uri: site.idOf('/keys') },
      ...{ sector_identifier_uri: site.idOf('/sector'), backchannel_logout_uri: site.idOf('/logout') },
      ...{ subject_type: 'pairwise', application_type: 'native', require_auth_time: true },
    })
    const browser = new Browser(world.url)
    await signIn(site.publish('/before'), browser)
    const end = await walk(world, request(id, { prompt: 'none' }), { browser })
    expect(end.searchParams.get('error')).toBe('consent_required')
    const { access_token } = await signIn(id, browser)
    expect(await seenBy(notesApi, access_token)).toMatchObject({ sub: users.ada })
    for (const path of ['/keys', '/sector', '/logout']) expect(site.requestsFor(path)).toBe(0)
  })

  test.each<[string, Parameters<typeof site.answer>[1], string]>([
    [
      'that redirects',
      (_, response) => void response.writeHead(302, { location: site.idOf('/program') }).end(),
      'redirects to another one',
    ],
    ['that is not there', (_, response) => void response.writeHead(404).end('{}'), 'returned status 404'],
    [
      'that is a page',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('{}'),
      'content type must be',
    ],
    [
      'that is no JSON',
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      'not JSON',
    ],
    [
      'that is a list',
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('[]'),
      'must be a JSON object',
    ],
    [
      'that is huge',
      (_, response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(' '.repeat(1_000_000)),
      'longer than 16 KiB',
    ],
    ['that breaks off', (request) => void request.socket.destroy(), 'could not be reached'],
  ])('a document %s is refused, and not fetched again at once', async (name, listener, problem) => {
    const path = `/hostile/${encodeURIComponent(name)}`
    const id = site.answer(path, listener)
    expect(await refused(id)).toContain(problem)
    await refused(id)
    expect(site.requestsFor(path)).toBe(1)
  })

  test.each([
    ['a private address', 'https://10.0.0.1/client'],
    ['an address in the metadata of clouds', 'https://169.254.169.254/client'],
    ['plain http', 'http://tools.example/client'],
    ['a low port', 'https://tools.example:22/client'],
    ['a name of this network', 'https://printer/client'],
    ['no path', 'https://tools.example/'],
    ['a fragment', 'https://tools.example/client#x'],
    ['a user', 'https://me@tools.example/client'],
    ['a path with dots', 'https://tools.example/a/../client'],
    ['a name in other letters', 'https://tооls.example/client'],
    ['upper case', 'https://TOOLS.example/client'],
  ])('an ID with %s is not a client', async (_, id) => {
    expect(await refused(id)).toContain('invalid_client')
  })

  test.each(['https://evil.example/cb', 'http://127.0.0.1:51004/other', 'http://127.0.0.2/callback'])(
    'a browser is not sent to %s, which is not in the document',
    async (redirect_uri) => {
      expect(await refused(site.publish('/listed'), { redirect_uri })).toContain('invalid_redirect_uri')
    },
  )

  test('a program may use any port of localhost', async () => {
    const id = site.publish('/local', { redirect_uris: ['http://localhost/callback'] })
    const end = await walk(world, request(id, { redirect_uri: 'http://localhost:40123/callback' }))
    expect([end.origin, end.searchParams.has('code')]).toEqual(['http://localhost:40123', true])
  })

  test('a list takes hosts and nothing else', async () => {
    const bad = [
      'Tools.example',
      'tools.example/x',
      'https://tools.example',
      'tооls.example',
      '10.0.0.1',
      'a',
    ]
    const { status, body } = await admin('PATCH', `/projects/${mapsApi.id}`, {
      oidc: { clientHosts: ['tools.example', 'tools.example:8443', ...bad] },
    })
    expect(status).toBe(400)
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(
      bad.map((_, i) => `/oidc/clientHosts/${i + 2}`),
    )
  })

  test('the client of the project hears of no end of a session that a program had', async () => {
    const logout = { backchannelLogoutUri: site.idOf('/told-logout') }
    site.answer('/told-logout', (_, response) => void response.writeHead(200).end())
    await admin('PATCH', `/projects/${mapsApi.id}`, { oidc: logout })
    const id = site.publish('/quiet')
    const end = await walk(world, request(id, { resource: maps }), { as: users.rosa })
    expect(end.searchParams.get('code')).toBeTruthy()
    await admin('DELETE', `/members/${users.rosa}/sessions`)
    expect((await admin('GET', `/projects/${mapsApi.id}/logout-deliveries`)).body.data).toEqual([])
  })
})
