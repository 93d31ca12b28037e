import { Agent } from 'node:http'
import { demo } from '@rolecall/chat-sim'
import fc from 'fast-check'
import Provider from 'oidc-provider'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { digestOf, mintToken } from '#platform/crypto/tokens'
import { sql } from '#platform/db/sql'
import { call } from '../../../test/client.ts'
import { engines } from '../../../test/databases.ts'
import { type FrontRequest, sendPlain } from '../../../test/front-request.ts'
import { Browser, type GivenProject, givenAdmin } from '../../../test/given.ts'
import { authPath, basic, claimsOf, clientUri, givenClient, pkce, walk } from '../../../test/oidc.ts'
import { repeats } from '../../../test/repeats.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const { users } = demo
const formType = 'application/x-www-form-urlencoded'
const longScope = 'openid profile email roles offline_access'

type Form = Readonly<Record<string, string>>

/** A sign-in that waits for its code to be redeemed. */
interface Pending {
  readonly project: GivenProject
  readonly form: Form
}

/** Counts the requests that reach the library. */
const libraryCalls = vi.spyOn(Provider.prototype, 'callback')
afterAll(() => libraryCalls.mockRestore())

describe.each(engines)('grants that the service answers itself, and the library, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
  let admin: string
  let browser: Browser
  const agent = new Agent({ keepAlive: true })
  beforeAll(async () => {
    admin = await givenAdmin(world)
    browser = new Browser(world.url)
  })
  afterAll(async () => {
    agent.destroy()
  })

  const asAdmin = (method: string, path: string, body?: object) =>
    call(world.url, method, `/api/admin${path}`, { token: admin, ...(body && { body }) })
  const patch = (project: GivenProject, body: object) => asAdmin('PATCH', `/projects/${project.id}`, body)
  const execute = (statement: ReturnType<typeof sql>) => world.service.deps.db.execute(statement)

  /** Signs in twice alike, so that both parties have a code of their own. */
  const givenPair = async (project: GivenProject, asked: Form = {}): Promise<[Pending, Pending]> => {
    const { verifier, challenge } = pkce()
    const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
    const path = authPath(project, { scope: longScope, ...(asked['pkce'] && proof), ...asked })
    const codes: string[] = []
    while (codes.length < 2) codes.push((await walk(world, path, { browser })).searchParams.get('code') ?? '')
    const [first = '', second = ''] = codes
    const pendingOf = (code: string): Pending => ({
      project,
      form: {
        ...{ grant_type: 'authorization_code', code, redirect_uri: clientUri },
        ...(asked['pkce'] && { code_verifier: verifier }),
      },
    })
    return [pendingOf(first), pendingOf(second)]
  }

  const requestOf = ({ project, form }: Pending): FrontRequest => ({
    ...{ method: 'POST', path: '/oidc/token', body: String(new URLSearchParams(form)) },
    headers: { ...basic(project), 'content-type': formType },
  })

  /** Everything that a response states and that was stored with it, without the values that differ each time. */
  const outcomeOf = async ({ status, headers, body }: Awaited<ReturnType<typeof sendPlain>>) => {
    if (status !== 200) return { status, headers, body }
    const { 'content-length': _, ...stable } = headers as Record<string, unknown>
    const { access_token, refresh_token, id_token, ...rest } = JSON.parse(body)
    const [header = ''] = id_token.split('.')
    const { sid, iat, exp, ...claims } = claimsOf(id_token)
    const rows = await world.service.deps.db.query<{ payload: string; ttlSec: number }>(sql`
      select payload, round(extract(epoch from expires_at - created_at)) as "ttlSec" from oidc_records
      where session_id = ${sid} and consumed_at is null`)
    const records = rows.map(({ payload, ttlSec }) => ({ ttlSec, ...stableOf(JSON.parse(payload), sid) }))
    const nameOf = ({ kind, gty }: (typeof records)[number]) => `${kind} ${gty}`
    return {
      status,
      headers: stable,
      fields: Object.keys(JSON.parse(body)),
      rest,
      tokens: [access_token, refresh_token].map((token) => token?.slice(0, 4)),
      header: Buffer.from(header, 'base64url').toString(),
      // The first read of all members may update the member between two requests.
      claims: JSON.stringify(claims, (name, value) => (name === 'updated_at' ? typeof value : value)),
      lifetime: exp - iat,
      records: records.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b))),
    }
  }
  const stableOf = ({ kind, gty, iat, exp, iiat, ...payload }: Record<string, unknown>, sid: string) => ({
    ...{ kind, gty },
    ...payload,
    ...{
      grantId: payload['grantId'] === sid,
      sid: payload['sid'] === sid,
      sessionUid: typeof payload['sessionUid'],
      // The two sign-ins may be in different seconds.
      authTime: typeof payload['authTime'],
    },
    ...{ lifetime: Number(exp) - Number(iat), isCarried: iiat === undefined || Number(iiat) <= Number(iat) },
  })

  /** Sends one request to the service and its twin to the library: only the exact address can be plain. */
  const compare = async (own: FrontRequest, twin: FrontRequest) => {
    libraryCalls.mockClear()
    const ownReply = await sendPlain(agent, world.url, own)
    const isOwn = libraryCalls.mock.calls.length === 0
    const reply = await sendPlain(agent, world.url, { ...twin, path: `${twin.path}?` })
    expect(libraryCalls.mock.calls.length).toBe(isOwn ? 1 : 2)
    expect(await outcomeOf(ownReply)).toEqual(await outcomeOf(reply))
    return { isOwn, bodies: [ownReply.body, reply.body] }
  }

  const refreshTokenOf = (body = ''): string | undefined => JSON.parse(body).refresh_token
  const clients: Readonly<Record<string, object>> = {
    'with a secret': {},
    'with roles in its ID token': { rolesInIdToken: true },
    public: { publicClient: true },
  }
  test.each(Object.entries(clients))('plain requests of a client %s', async (name, oidc) => {
    const project = await givenClient(world, { oidc })
    const identified = ({ form }: Pending): FrontRequest => ({
      ...requestOf({ project, form: { ...form, client_id: project.id } }),
      headers: { ...(name !== 'public' && basic(project)), 'content-type': formType },
    })
    const asks: Form[] = [{ pkce: 'yes' }, { pkce: 'yes', scope: 'openid offline_access', nonce: '' }]
    if (name !== 'public') asks.push({}, { scope: 'openid email' })
    for (const asked of asks) {
      const [first, second] = await givenPair(project, asked)
      let found = await compare(identified(first), identified(second))
      expect(found.isOwn).toBe(true)
      // Each refreshes the tokens of the other, too.
      for (let i = 0; i < 3 && refreshTokenOf(found.bodies[0]); i++) {
        const [one, other] = found.bodies.map((body) =>
          identified({
            project,
            form: { grant_type: 'refresh_token', refresh_token: refreshTokenOf(body) ?? '' },
          }),
        )
        if (!one || !other) throw new Error('There are two parties.')
        found = await (i % 2 === 0 ? compare(other, one) : compare(one, other))
        expect(found.isOwn).toBe(true)
      }
    }
  })

  type Act = (of: { project: GivenProject; pending: readonly Pending[] }) => Promise<unknown>
  const recordsOf = (pending: readonly Pending[]) =>
    pending.map(({ form }) =>
      form['code']
        ? digestOf(`AuthorizationCode ${form['code']}`)
        : digestOf(`RefreshToken ${form['refresh_token']}`),
    )
  const ends: Readonly<Record<string, Act>> = {
    'the sessions end': ({ project }) =>
      call(world.url, 'POST', '/api/auth/logout-all', { key: project.key, body: { memberId: users.ada } }),
    'the key is revoked': ({ project }) => asAdmin('DELETE', `/projects/${project.id}/key`),
    'the project is switched off': ({ project }) => patch(project, { isActive: false }),
    'the client is switched off': ({ project }) => patch(project, { oidc: { enabled: false } }),
    'the client becomes public': ({ project }) => patch(project, { oidc: { publicClient: true } }),
    'the client has no redirect URI': ({ project }) =>
      execute(sql`update projects set redirect_uris = '{}' where id = ${project.id}`),
    'the project is deleted': ({ project }) => asAdmin('DELETE', `/projects/${project.id}`),
    'they expire': ({ pending }) =>
      execute(sql`
        update oidc_records set expires_at = clock_now() - interval '1 second'
        where digest = any(${recordsOf(pending)}::text[])`),
    'they were used just now': ({ pending }) =>
      execute(
        sql`update oidc_records set consumed_at = clock_now() where digest = any(${recordsOf(pending)}::text[])`,
      ),
    'they were used before': ({ pending }) =>
      execute(sql`
        update oidc_records set consumed_at = clock_now() - interval '1 minute'
        where digest = any(${recordsOf(pending)}::text[])`),
    'they have an unusual field': ({ pending }) =>
      execute(sql`
        update oidc_records set payload = (payload::jsonb || '{"acr": "high"}')::text
        where digest = any(${recordsOf(pending)}::text[])`),
  }
  const onlyForCodes = ['the client has no redirect URI']
  const refreshable = async (pair: readonly Pending[]): Promise<Pending[]> => {
    const replies = await Promise.all(pair.map((one) => sendPlain(agent, world.url, requestOf(one))))
    return pair.map(({ project }, i) => {
      const { refresh_token: token } = JSON.parse(replies[i]?.body ?? '')
      return { project, form: { grant_type: 'refresh_token', refresh_token: token } }
    })
  }

  test('after an end, the library decides about codes and refresh tokens', { timeout: 120_000 }, async () => {
    for (const [name, end] of Object.entries(ends)) {
      const project = await givenClient(world)
      const codes = await givenPair(project)
      const tokens = await refreshable(await givenPair(project))
      for (const pending of [codes, tokens]) {
        await end({ project, pending })
        const [first, second] = pending.map(requestOf)
        if (!first || !second) throw new Error('There are two parties.')
        const { isOwn } = await compare(first, second)
        expect(isOwn, name).toBe(pending === tokens && onlyForCodes.includes(name))
      }
    }
  })

  test('a token works everywhere while the clocks of the machine and the database differ', async () => {
    const project = await givenClient(world)
    const [pending] = await givenPair(project)
    const { db } = world.service.deps
    const setClock = (offset: string) =>
      db.script(`
        create or replace function clock_now() returns timestamptz language sql stable parallel safe
        as $$ select date_trunc('milliseconds', now()) + interval '${offset}' $$`)
    await setClock('-11 minutes')
    try {
      const { body } = await sendPlain(agent, world.url, requestOf(pending))
      const headers = { authorization: `Bearer ${JSON.parse(body).access_token}` }
      for (const path of ['/oidc/me?', '/oidc/me', '/oidc/me']) {
        expect((await call(world.url, 'GET', path, { headers })).status, path).toBe(200)
      }
    } finally {
      await setClock('0 minutes')
    }
  })

  test('both answer unusual requests the same', { timeout: 180_000 }, async () => {
    const project = await givenClient(world)
    const other = await givenClient(world)
    const grants = ['code', 'proven code', 'code with auth_time', 'refresh token']
    const fields: Form[] = [
      { redirect_uri: `${clientUri}/` },
      { redirect_uri: '' },
      { code_verifier: pkce().verifier },
      { code_verifier: 'short' },
      { code_verifier: '' },
      { code: mintToken('clientCode') },
      { code: 'x\u0000' },
      { refresh_token: mintToken('clientRefresh') },
      { scope: 'openid' },
      { scope: 'openid admin' },
      { resource: 'https://notes.example/mcp' },
      { grant_type: 'client_credentials' },
      { grant_type: '' },
      { client_id: project.id },
      { client_id: other.id },
      { client_id: project.id, client_secret: project.key },
      { unknown: 'field' },
    ]
    const headers: Form[] = [
      { ...basic(other) },
      { ...basic({ ...project, key: mintToken('apiKey') }) },
      { ...basic({ ...project, id: project.id.toUpperCase() }) },
      { authorization: 'Bearer x' },
      { authorization: '' },
      { 'content-type': `${formType}; charset=utf-8` },
      { 'content-type': `${formType};charset=latin1` },
      { 'content-type': 'application/json' },
      { origin: 'https://elsewhere.example' },
      { accept: 'text/html' },
      { dpop: 'a-proof' },
      { 'oauth-client-attestation': 'a-statement' },
    ]
    const more = ['&', '&code=again', '&grant_type=again', '&redirect_uri=again', '&a&b', '&%zz']
    const plain = { grant: 'code', fields: {}, headers: {}, more: '' }
    const examples = [
      ...grants.flatMap((grant) => [{}, ...fields].map((own) => ({ ...plain, grant, fields: own }))),
      ...headers.map((own) => ({ ...plain, headers: own })),
      ...more.map((own) => ({ ...plain, more: own })),
    ]
    const often = <T>(usual: T, unusual: readonly T[]) =>
      fc.oneof(
        { weight: 8, arbitrary: fc.constant(usual) },
        { weight: 3, arbitrary: fc.constantFrom(...unusual) },
      )
    const request = fc.record({
      grant: fc.constantFrom(...grants),
      fields: often<Form>({}, fields),
      headers: often<Form>({}, headers),
      more: often('', more),
    })
    const askedFor: Readonly<Record<string, Form>> = {
      'proven code': { pkce: 'yes' },
      'code with auth_time': { max_age: '3600' },
    }
    let own = 0
    await fc.assert(
      fc.asyncProperty(request, async ({ grant, fields, headers, more }) => {
        const pair = await givenPair(project, askedFor[grant])
        const sent = grant === 'refresh token' ? await refreshable(pair) : pair
        const [first, second] = sent.map((pending) => {
          const {
            body,
            headers: usual,
            ...plain
          } = requestOf({ project, form: { ...pending.form, ...fields } })
          return { ...plain, headers: { ...usual, ...headers }, body: body + more }
        })
        if (!first || !second) throw new Error('There are two parties.')
        if ((await compare(first, second)).isOwn) own += 1
      }),
      {
        numRuns: examples.length + repeats(40),
        examples: examples.map((one): [typeof one] => [one]),
      },
    )
    expect(own).toBeGreaterThan(grants.length)
  })
})
