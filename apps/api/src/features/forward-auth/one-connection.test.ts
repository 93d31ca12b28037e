import { demo } from '@rolecall/chat-sim'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { Browser, givenProject } from '../../../test/given.ts'
import { openConnection } from '../../../test/raw-connection.ts'
import { repeats } from '../../../test/repeats.ts'
import { adminForTests, projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { decideFromMemory } from './check-request.ts'

const [wiki, admin, other] = ['wiki.example.org', 'wiki.example.org:8443', 'photos-and-more.example.org']
type Connection = Awaited<ReturnType<typeof openConnection>>

/** A header that occurs several times has several values. */
type Lines = readonly (readonly [name: string, value: string])[]

/** A proxy sends the requests of all members, for all hosts, over the same few connections. */
describe.each(mainEngines)('forward authentication on one connection of a proxy, on %s', (engine) => {
  const world = worldForTests(engine, {
    TRUST_PROXY: '127.0.0.1',
    RATE_LIMIT_GLOBAL: '0',
    PERMISSION_TTL_MS: '3600000',
  })
  /** The cookies by host and member. */
  const cookies = new Map<string, string>()
  let ours: Connection
  let nodes: Connection
  let framework: Connection
  const health = 'GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n'

  const protect = async (forwardAuth: object, { id } = project) => {
    const path = `/api/admin/projects/${id}`
    const reply = await call(world.url, 'PATCH', path, { ...administrator, body: { forwardAuth } })
    expect(reply.status, reply.text).toBe(200)
  }
  const logIn = async (host: string, as: string) => {
    const asked = { 'x-forwarded-proto': 'https', 'x-forwarded-host': host, 'x-forwarded-uri': '/' }
    const [onHost, onService] = [new Browser(world.url), new Browser(world.url)]
    const pathOf = (location: string | null) =>
      new URL(location ?? '').pathname + new URL(location ?? '').search
    const start = await onHost.get('/_rolecall/start?rd=/', asked)
    const authorize = await onService.get(pathOf(start.headers.get('location')))
    const back = await world.sim.login(authorize.headers.get('location') ?? '', { as })
    const callback = await onService.get(pathOf(back))
    await onHost.get(pathOf(callback.headers.get('location')), asked)
    cookies.set(`${host} ${as}`, onHost.cookie)
  }
  const administrator = adminForTests(world)
  const project = projectForTests(world, { isInternal: true })
  beforeAll(async () => {
    await protect({ hosts: [wiki, admin] })
    await protect({ hosts: [other], remoteUser: 'id' }, await givenProject(world, { isInternal: true }))
    for (const host of [wiki, admin, other])
      for (const as of [demo.users.ada, demo.users.joon]) await logIn(host, as)
    await connect()
  })
  const end = () => {
    for (const connection of [ours, nodes, framework]) connection?.socket.destroy()
  }
  const connect = async () => {
    end()
    ;[ours, nodes, framework] = [await openConnection(world.url), await readByNode(), await readByNode()]
  }
  /** Opens a connection that Node.js reads, because its first request cannot be answered from memory. */
  const readByNode = async () => {
    const connection = await openConnection(world.url)
    await connection.ask(health)
    return connection
  }
  afterAll(end)

  const cookieOf = (host: string, as: string) => cookies.get(`${host} ${as}`) ?? ''
  const asked = (host: string, cookie: string, more: Lines = []): Lines => [
    ['Host', '127.0.0.1:3000'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Forwarded-Host', host],
    ['X-Forwarded-Uri', '/page?x=1'],
    ['X-Forwarded-Method', 'GET'],
    ['Cookie', cookie],
    ...more,
  ]
  const headOf = (lines: Lines, query = '') =>
    `GET /api/forward-auth${query} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  /** Removes the parts that differ each time. The length of a body depends on the request ID in it. */
  const plain = (text: string) => {
    const [, id = ''] = /^x-request-id: (\S+)/im.exec(text) ?? []
    const isEmpty = text.endsWith('\r\n\r\n')
    return text
      .replaceAll(id.startsWith('given-') ? /^$/g : id, 'ID')
      .replace(isEmpty ? /^$/ : /content-length: \d+/i, '')
      .replace(/Date: [^\r]+/i, '')
  }
  const sorted = (text: string) => plain(text).split('\r\n').toSorted()
  /** Sends the same request to the three readers, checks that they agree, and returns the response. */
  const ask = async (lines: Lines) => {
    const reply = await ours.ask(headOf(lines))
    expect(sorted(await nodes.ask(headOf(lines)))).toEqual(sorted(reply))
    // This address is the same request for the framework, and unknown to the memory.
    expect(sorted(await framework.ask(headOf(lines, '?redirect=false')))).toEqual(sorted(reply))
    if (/^connection: close/im.test(reply)) await connect()
    return reply
  }
  const remote = (reply: string, name: string) => new RegExp(`^remote-${name}: (.*)$`, 'm').exec(reply)?.[1]

  test('each request is answered for its own member, host, and cookie', async () => {
    for (let i = 0; i < 3; i++)
      for (const host of [wiki, other, admin])
        for (const as of [demo.users.joon, demo.users.ada]) {
          const lines = asked(host, cookieOf(host, as))
          const reply = await ask(lines)
          // The memory writes its headers in another order than the framework.
          const bytes = async (connection: Connection) => plain(await connection.ask(headOf(lines)))
          await expect.poll(() => bytes(ours)).toMatch(/remote-role-ids: .*\r\nx-request-id/)
          await expect.poll(async () => (await bytes(nodes)) === (await bytes(ours))).toBe(true)
          expect(remote(reply, 'member-id')).toBe(as)
          expect(remote(reply, 'user') === as).toBe(host === other)
          // The same cookie at another host, and the same host with no cookie or a made-up one.
          for (const another of [wiki, other, admin].filter((one) => one !== host))
            expect(await ask(asked(another, cookieOf(host, as)))).toContain(' 401 ')
          const own = cookieOf(host, as)
          for (const same of [`a=b; ${own};`, own.replace('rch_', '%72ch_')])
            expect(remote(await ask(asked(host, same)), 'member-id')).toBe(as)
          const twice = `${own}; ${own}`
          const wrong = [
            '',
            `${own.slice(0, -1)}_`,
            twice,
            own.replace('rch_', 'rcs_'),
            own.replace('=', ' ='),
          ]
          for (const cookie of wrong) expect(await ask(asked(host, cookie))).toContain(' 401 ')
        }
  })

  test('the way to the sign-in leads back to the path, however it is written', async () => {
    const askFor = (path: string) =>
      ask(asked(wiki, '').map(([name, value]) => [name, name === 'X-Forwarded-Uri' ? path : value]))
    expect(await askFor('/a?b=c')).toContain(`/start?rd=${encodeURIComponent('/a?b=c')}\r\n`)
    expect(await askFor('/\xe9')).toContain(`/start?rd=${encodeURIComponent('/%E9')}\r\n`)
    expect(await askFor('a')).toContain('FORWARDED_REQUEST_INVALID')
  })

  test('a change of the rule or of the member is in the next response', async () => {
    const lines = asked(wiki, cookieOf(wiki, demo.users.ada))
    const user = remote(await ask(lines), 'user')
    await protect({ remoteUser: 'id' })
    expect(remote(await ask(lines), 'user')).toBe(demo.users.ada)
    await protect({ anyOf: [demo.roles.captain] })
    expect(await ask(lines)).toContain(' 403 ')
    await protect({ anyOf: [], remoteUser: 'username' })
    expect(remote(await ask(lines), 'user')).toBe(user)
    const rename = async (username: string | undefined) => {
      const { db, answers } = world.service.deps
      await db.execute(sql`update members set username = ${username} where id = ${demo.users.ada}`)
      await answers.confirm()
    }
    await rename('renamed')
    expect(remote(await ask(lines), 'user')).toBe('renamed')
    expect(remote(await ask(asked(wiki, cookieOf(wiki, demo.users.joon))), 'member-id')).toBe(demo.users.joon)
    await rename(user)
    expect(remote(await ask(lines), 'user')).toBe(user)
    const renameRole = async (name: string) => {
      const { db, answers } = world.service.deps
      await db.execute(sql`update roles set name = ${name} where id = ${demo.roles.crew}`)
      await answers.confirm()
    }
    // The session stays in memory, and its roles are others.
    expect(remote(await ask(lines), 'groups')).toBe('Crew')
    await renameRole('Sailors')
    expect(remote(await ask(lines), 'groups')).toBe('Sailors')
    await renameRole('Crew')
    expect(remote(await ask(lines), 'groups')).toBe('Crew')
  })

  test('a rule that was read again is applied to a session whose response is cached', async () => {
    const { answers, settings } = world.service.deps
    const asked = { host: wiki, origin: `https://${wiki}`, isSecure: true, uri: '/' }
    const known = await answers.findHostRule(wiki)
    const decide = (changed: object) => {
      const rule = known && { ...known, ...changed }
      const changedAnswers = { ...answers, findCachedHostRule: () => rule }
      return decideFromMemory({ answers: changedAnswers, settings }, asked, cookieOf(wiki, demo.users.ada))
        ?.text
    }
    await expect.poll(() => decide({})).toContain('remote-user: ada.osei\r\n')
    await expect.poll(() => decide({ remoteUser: 'id' })).toContain(`remote-user: ${demo.users.ada}\r\n`)
    expect(decide({ anyOf: [demo.roles.captain] })).toBeUndefined()
    await expect.poll(() => decide({ anyOf: [demo.roles.crew] })).toContain('remote-user: ada.osei\r\n')
  })

  test('a member who lost a required role that Discord has deleted is refused', async () => {
    const lines = asked(wiki, cookieOf(wiki, demo.users.ada))
    await protect({ anyOf: [demo.roles.captain] })
    const { db, answers } = world.service.deps
    const holdAsCaptain = async (roleIds: string[]) => {
      await db.execute(sql`update memberships set role_ids = ${roleIds} where member_id = ${demo.users.ada}`)
      await answers.confirm()
    }
    await holdAsCaptain([demo.roles.captain])
    expect(await ask(lines)).toContain(' 200 ')
    await db.execute(sql`delete from roles where id = ${demo.roles.captain}`)
    await answers.confirm()
    await ask(lines)
    await holdAsCaptain([])
    expect(await ask(lines)).toContain(' 403 ')
    await protect({ anyOf: [] })
  })

  test('an untrusted client is refused, even right after a request of a trusted proxy', async () => {
    const lines = headOf(asked(wiki, cookieOf(wiki, demo.users.ada)))
    const stranger = await openConnection(world.url, '127.0.0.2')
    for (let i = 0; i < 3; i++) {
      expect(await ours.ask(lines)).toContain(' 200 ')
      expect(await stranger.ask(lines)).toContain('PROXY_NOT_TRUSTED')
    }
    stranger.socket.destroy()
  })

  test('pipelined and split requests get the same responses as from Node.js', async () => {
    const whole = headOf(asked(wiki, cookieOf(wiki, demo.users.ada)))
    const unknown = headOf(asked(wiki, cookieOf(other, demo.users.ada)))
    for (const [sent, expected] of [
      [whole + unknown + whole, [200, 401, 200]],
      [unknown + whole, [401, 200]],
      [`${whole}\r\n${whole}`, [200, 200]],
    ] as const) {
      const connection = await openConnection(world.url)
      await connection.ask(whole)
      const text = await connection.ask(sent, expected.length)
      expect([...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))).toEqual(expected)
      connection.socket.destroy()
    }
    for (const cut of [1, 3, 30, whole.length - 4, whole.length - 3, whole.length - 1]) {
      const connection = await openConnection(world.url)
      connection.socket.setNoDelay().write(whole.slice(0, cut))
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(remote(await connection.ask(whole.slice(cut)), 'member-id'), `cut at ${cut}`).toBe(
        demo.users.ada,
      )
      connection.socket.destroy()
    }
  })

  test('any sequence of usual and unusual requests gets the same responses from all readers', async () => {
    const hosts = fc.constantFrom(wiki, wiki, other, admin, `${wiki.toUpperCase()}:443`, 'evil.test', '')
    const own = fc.record({
      host: fc.constantFrom(wiki, admin, other),
      as: fc.constantFrom(demo.users.ada, demo.users.joon),
      write: fc.constantFrom(
        (cookie: string) => cookie,
        (cookie: string) => `a=b; ${cookie}; c="d"`,
        (cookie: string) => `  ${cookie} ;`,
        (cookie: string) => `${cookie}; ${cookie}`,
        (cookie: string) => cookie.toLowerCase(),
        (cookie: string) => cookie.replace('rch_', '%72ch_'),
        (cookie: string) => cookie.replace('=rch_', ' = rch_'),
        (cookie: string) => cookie.replace('rch_', 'rcs_'),
        (cookie: string) => `x${cookie}`,
        (cookie: string) => cookie.replace('__Host-', ''),
      ),
    })
    const more = fc.constantFrom<Lines[number]>(
      ...(['', '/', '/é', '/a b', 'page', 'https://evil.test/', '//evil.test'] as const).map(
        (uri) => ['X-Forwarded-Uri', uri] as const,
      ),
      ...(['ws', 'WSS', 'http', 'constructor', 'https, https', ''] as const).map(
        (scheme) => ['X-Forwarded-Proto', scheme] as const,
      ),
      ['X-Original-URL', `https://${wiki}/page?x=1`],
      ['X-Original-URL', 'https://evil.test/page?x=1'],
      ['Remote-User', 'root'],
      ['remote_user', 'root'],
      ['Remoteness', 'far'],
      ['X-Request-Id', 'given-by-a-caller'],
      ['X-Forwarded-For', '203.0.113.9, 127.0.0.1'],
      ['Accept', 'text/html'],
      ['Sec-Fetch-Mode', 'navigate'],
      ['Constructor', 'x'],
      ['__proto__', 'x'],
      ['X-A', 'a'.repeat(4_000)],
      ['X-Forwarded-Host', other],
      ['Cookie', 'a=b'],
      ['Expect', 'nothing'],
    )
    const spell = fc.constantFrom(
      String,
      String,
      (name: string) => name.toLowerCase(),
      (name: string) => name.toUpperCase(),
    )
    const request = fc.record({
      host: hosts,
      own,
      more: fc.array(more, { maxLength: 2 }),
      spell,
      doubles: fc.nat(9),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 2, maxLength: 5 }), async (requests) => {
        // A connection that met an unusual request belongs to Node.js from then on.
        await connect()
        for (const {
          host,
          own: { host: of, as, write },
          more: lines,
          spell: written,
          doubles,
        } of requests) {
          const usual = asked(host, write(cookieOf(of, as)))
          // Most headers replace the usual ones, so that nothing is sent twice.
          const kept = doubles === 0 ? usual : usual.filter(([name]) => !lines.some(([own]) => own === name))
          await ask([...kept, ...lines].map(([name, value]) => [written(name), value]))
        }
      }),
      { numRuns: repeats(60) },
    )
  })
})
