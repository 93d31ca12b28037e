import { Agent, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mainEngines } from '../../../test/databases.ts'
import { givenSession } from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

interface Sent {
  readonly headers?: Record<string, string | string[]>
  readonly body?: string | Buffer
  readonly path?: string
  readonly method?: string
}

describe.each(mainEngines)('validate, before the framework sees it and behind it, on %s', (engine) => {
  const world = worldForTests(engine)
  let token: string
  const agent = new Agent({ keepAlive: true })
  const project = projectForTests(world)
  beforeAll(async () => {
    token = (await givenSession(world, project)).token
  })
  afterAll(async () => {
    agent.destroy()
  })

  /** Sends a request. A chunked one always goes to the framework. */
  const send = (
    { headers = {}, body = '', path = '/api/auth/validate', method = 'POST' }: Sent,
    isChunked: boolean,
  ) =>
    new Promise<{ status: number; headers: object; body: unknown }>((resolve, reject) => {
      const length = { 'content-length': String(Buffer.byteLength(body)) }
      const framing = isChunked ? { 'transfer-encoding': 'chunked' } : length
      const sent = request(
        new URL(path, world.url),
        { agent, method, headers: { ...framing, ...headers } },
        (response) => {
          const parts: Buffer[] = []
          response.on('data', (part: Buffer) => parts.push(part))
          response.on('end', () => {
            const { date: _, 'x-request-id': id, ...rest } = response.headers
            const text = Buffer.concat(parts).toString().replaceAll(String(id), 'ID')
            resolve({ status: response.statusCode ?? 0, headers: rest, body: text })
          })
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })

  const json = { 'content-type': 'application/json' }
  const asked = (body: string | Buffer, headers: Sent['headers'] = {}): Sent => ({
    headers: { 'x-api-key': project.key, 'x-request-id': 'given-by-a-caller', ...json, ...headers },
    body,
  })
  const cases: Record<string, () => Sent> = {
    'as clients write it': () => asked(`{"token":"${token}"}`),
    'with blanks': () => asked(` {\r\n\t"token" : "${token}" }\n`),
    'with a charset': () =>
      asked(`{"token":"${token}"}`, { 'content-type': 'Application/JSON; charset=utf-8' }),
    'as identity': () => asked(`{"token":"${token}"}`, { 'content-encoding': 'identity' }),
    'compressed, as it says': () => asked(`{"token":"${token}"}`, { 'content-encoding': 'gzip' }),
    'as text': () => asked(`{"token":"${token}"}`, { 'content-type': 'text/plain' }),
    escaped: () => asked(`{"token":"\\u0072${token.slice(1)}"}`),
    'its name escaped': () => asked(`{"\\u0074oken":"${token}"}`),
    'twice the same': () => asked(`{"token":"${token}","token":"${token}"}`),
    'with more': () => asked(`{"token":"${token}","more":1}`),
    'in a list': () => asked(`[{"token":"${token}"}]`),
    'after a byte order mark': () => asked(`\ufeff{"token":"${token}"}`),
    'with a blank that JSON has not': () => asked(`{"token":\u00a0"${token}"}`),
    'with a form feed': () => asked(`{"token":\f"${token}"}`),
    'followed by a zero': () => asked(`{"token":"${token}"}\0`),
    'not closed': () => asked(`{"token":"${token}"`),
    'of another type': () => asked('{"token":1}'),
    'not UTF-8': () =>
      asked(Buffer.concat([Buffer.from(`{"token":"${token}`), Buffer.from([0xff]), Buffer.from('"}')])),
    'with a letter beyond ASCII': () => asked(`{"token":"${token}é"}`),
    empty: () => asked(''),
    'with many blanks': () => asked(`{"token":${' '.repeat(300)}"${token}"}`),
    'far too long': () => asked(`{"token":${' '.repeat(20_000)}"${token}"}`),
    'of a made-up token': () => asked(`{"token":"rcs_${'a'.repeat(49)}"}`),
    'cut short': () => asked(`{"token":"${token.slice(0, -1)}"}`),
    'the key as the token': () => asked(`{"token":"${project.key}"}`),
    'without a key': () => ({
      headers: { ...json, 'x-request-id': 'given-by-a-caller' },
      body: `{"token":"${token}"}`,
    }),
    'with a made-up key': () => asked(`{"token":"${token}"}`, { 'x-api-key': 'rck_made-up' }),
    'with the key twice': () => asked(`{"token":"${token}"}`, { 'x-api-key': [project.key, project.key] }),
    'with the token as the key': () => asked(`{"token":"${token}"}`, { 'x-api-key': token }),
    'with a query': () => ({ ...asked(`{"token":"${token}"}`), path: '/api/auth/validate?a=b' }),
    'with a slash more': () => ({ ...asked(`{"token":"${token}"}`), path: '/api/auth/validate/' }),
    'by its whole address': () => ({ ...asked(`{"token":"${token}"}`), path: '/api/auth/%76alidate' }),
    'by PUT': () => ({ ...asked(`{"token":"${token}"}`), method: 'PUT' }),
    'to be confirmed first': () => asked(`{"token":"${token}"}`, { expect: '100-continue' }),
    'with a cookie and an origin': () =>
      asked(`{"token":"${token}"}`, { cookie: 'a=b', origin: 'https://elsewhere.example' }),
    'on a connection that ends': () => asked(`{"token":"${token}"}`, { connection: 'close' }),
  }

  test.each(Object.keys(cases))('answers the same at both places: %s', async (name) => {
    const sent = (cases[name] as () => Sent)()
    // Sends it once before, so that both come from memory.
    await send(sent, false)
    const before = await send(sent, false)
    const behind = await send(sent, true)
    expect(behind).toEqual(before)
  })

  test('answers none of these well but what is the same JSON', async () => {
    const well: string[] = []
    for (const [name, make] of Object.entries(cases)) {
      if ((await send(make(), false)).status === 200) well.push(name)
    }
    expect(well).toEqual([
      'as clients write it',
      'with blanks',
      'with a charset',
      'as identity',
      'escaped',
      'its name escaped',
      'with many blanks',
      'with a query',
      'by its whole address',
      'to be confirmed first',
      'with a cookie and an origin',
      'on a connection that ends',
    ])
  })

  test('a body in pieces is read whole, and a client that leaves before its end harms no other request', async () => {
    const headers = { 'x-api-key': project.key, ...json, 'content-length': '65' }
    const pieces = request(new URL('/api/auth/validate', world.url), { method: 'POST', headers })
    const answered = new Promise<number>((resolve, reject) => {
      pieces.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject)
    })
    const body = `{"token":"${token}"}`
    expect(body).toHaveLength(65)
    for (const piece of body) {
      pieces.write(piece)
      await new Promise(setImmediate)
    }
    pieces.end()
    expect(await answered).toBe(200)
    const leaving = request(new URL('/api/auth/validate', world.url), { method: 'POST', headers })
    leaving.on('error', () => {})
    leaving.write('{"token"')
    await new Promise((resolve) => setTimeout(resolve, 20))
    leaving.destroy()
    expect((await send(asked(body), false)).status).toBe(200)
  })

  test('a request id that was given comes back, and one that is a credential does not', async () => {
    const idOf = async (id: string) => {
      const response = await fetch(`${world.url}/api/auth/validate`, {
        method: 'POST',
        headers: { 'x-api-key': project.key, ...json, 'x-request-id': id },
        body: `{"token":"${token}"}`,
      })
      return response.headers.get('x-request-id')
    }
    expect(await idOf('given-by-a-caller')).toBe('given-by-a-caller')
    expect(await idOf(token)).not.toBe(token)
  })
})
