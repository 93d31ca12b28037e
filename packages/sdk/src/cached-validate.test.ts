import { setTimeout as sleep } from 'node:timers/promises'
import { demo } from '@rolecall/chat-sim'
import { Rolecall, type RolecallOptions } from '@rolecall/sdk'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openEvents } from '../../../apps/api/test/event-reader.ts'
import { type GivenProject, givenProject, givenSession } from '../../../apps/api/test/given.ts'
import { type Relay, startRelay } from '../../../apps/api/test/relay.ts'
import type { Service } from '../../../apps/api/test/service.ts'
import { worldForTests } from '../../../apps/api/test/world-for-tests.ts'

const { mainGuildId, roles, users } = demo
/** So long that only events, or their absence, evict a cache entry. */
const cache = { maxAgeMs: 600_000 }
/** The guarantee: no answer is outdated by more than this, under any fault. */
const maxStaleMs = 5_000

const world = worldForTests('postgres', { PERMISSION_TTL_MS: '3600000' })
/** Another instance, which makes the changes. The stream is connected to the first one. */
let other: Service
let project: GivenProject
/** Proxies the stream only. Direct requests go straight to the service. */
let relay: Relay
let validations = 0
let rolecall: Rolecall

beforeAll(async () => {
  other = await world.another()
  project = await givenProject(world)
})

const { fetch } = globalThis
/** Counts validations, and sends only streams through the relay. */
const routed: typeof fetch = (input, init) => {
  const url = String(input)
  if (url.endsWith('/validate')) validations += 1
  const isStream = url.includes('/api/events')
  return fetch(isStream ? url.replace(world.url, relay.url) : url.replace(relay.url, world.url), init)
}
const givenClient = (options: Partial<RolecallOptions> = {}) =>
  new Rolecall({ baseUrl: world.url, apiKey: project.key, cache, fetch: routed, ...options })

/** Creates a client without a `fetch` option. It opens the stream by itself, here to the relay. */
function givenPlainClient() {
  // The client takes the runtime's `fetch` when it is created.
  globalThis.fetch = routed
  try {
    return new Rolecall({ baseUrl: relay.url, apiKey: project.key, cache })
  } finally {
    globalThis.fetch = fetch
  }
}

beforeEach(async () => {
  relay = await startRelay(world.url)
  validations = 0
  rolecall = givenClient()
})
afterEach(async () => {
  rolecall.close()
  await relay.close()
})

/** Validates until answers come from memory. */
async function whenLocal(token: string, client = rolecall) {
  await expect
    .poll(
      async () => {
        const before = validations
        await client.validate(token)
        return validations - before
      },
      { interval: 20 },
    )
    .toBe(0)
}

/**
 * Validates continuously after a change. Returns for how many milliseconds the client still gave the outdated answer.
 */
async function staleMs(change: () => Promise<unknown>, isTrue: () => Promise<boolean>) {
  await change()
  const changedAt = performance.now()
  let staleAt = changedAt
  while (performance.now() - changedAt < maxStaleMs + 2_000) {
    const askedAt = performance.now()
    if (await isTrue()) break
    staleAt = askedAt
    // Without this pause, answers from memory would never let events be processed.
    await sleep(2)
  }
  return staleAt - changedAt
}

const logout = (token: string) => new Rolecall({ baseUrl: other.url, apiKey: project.key }).logout(token)
const isOut =
  (token: string, client = rolecall) =>
  async () =>
    (await client.validate(token)) === undefined
const setRoles = async (member: string, ids: string[]) => {
  world.sim.world.setRoles(mainGuildId, member, ids)
  await other.deps.refreshMember(mainGuildId, member)
}

describe('a cached validate', () => {
  test('answers from memory, all callers with one answer that none of them can change', async () => {
    const { token } = await givenSession(world, project)
    await whenLocal(token)
    const [one, two] = [await rolecall.validate(token), await rolecall.validate(token)]
    expect(one).toBe(two)
    const asked = await rolecall.validate(token, { cache: false })
    expect(asked).toEqual(one)
    // Freezes answers without a shared cache, too: a program must not break when its cache is turned on.
    for (const session of [one, asked]) {
      for (const part of [session, session?.member, session?.roles, session?.roles[0], session?.session]) {
        expect(part).toBeDefined()
        expect(Object.isFrozen(part)).toBe(true)
      }
    }
  })

  test('asks once for all who want to know the same at the same time', async () => {
    const { token } = await givenSession(world, project)
    await Promise.all(Array.from({ length: 50 }, () => rolecall.validate(token)))
    expect(validations).toBe(1)
  })

  test('follows what happens at another instance at once', async () => {
    const { token } = await givenSession(world, project, users.tomas)
    await whenLocal(token)
    const wears = async () => (await rolecall.validate(token))?.roles.map(({ roleId }) => roleId)
    const late = await staleMs(
      () => setRoles(users.tomas, [roles.captain]),
      async () => (await wears())?.join() === roles.captain,
    )
    await whenLocal(token)
    // Takes a few milliseconds on an idle machine. Without events it would take as long as an entry may be cached.
    expect(late).toBeLessThan(maxStaleMs / 2)
    expect(await staleMs(() => logout(token), isOut(token))).toBeLessThan(maxStaleMs / 2)
  })

  test('knows its own logouts and refreshes at once', async () => {
    const session = await givenSession(world, project)
    await whenLocal(session.token)
    const next = await rolecall.refresh(session)
    expect(await rolecall.validate(session.token)).toBeUndefined()
    await whenLocal(next.token)
    await rolecall.logout(next.token)
    expect(await rolecall.validate(next.token)).toBeUndefined()
    const last = await givenSession(world, project)
    await whenLocal(last.token)
    await rolecall.logoutAll(users.ada)
    expect(await rolecall.validate(last.token)).toBeUndefined()
  })

  test('keeps a bounded number of sessions, those that are in use', async () => {
    const client = givenClient({ cache: { ...cache, maxEntries: 2 } })
    const [a, b, c, d] = [
      await givenSession(world, project),
      await givenSession(world, project),
      await givenSession(world, project),
      await givenSession(world, project),
    ]
    const countOf = async (token: string) => {
      const before = validations
      await client.validate(token)
      return validations - before
    }
    await whenLocal(a.token, client)
    expect([await countOf(b.token), await countOf(a.token)]).toEqual([1, 0])
    // Evicts the entry that was not requested again.
    expect([await countOf(c.token), await countOf(a.token), await countOf(c.token)]).toEqual([1, 0, 0])
    // All entries are in use: one of them is evicted nevertheless.
    expect(await countOf(d.token)).toBe(1)
    const counts = [await countOf(d.token), await countOf(c.token), await countOf(a.token)]
    expect(counts[0]).toBe(0)
    expect(counts.slice(1)).toContain(1)
    client.close()
  })

  test('by default asks again after five seconds, even with an open stream', async () => {
    const client = givenClient({ cache: true })
    const { token } = await givenSession(world, project)
    await whenLocal(token, client)
    const before = validations
    const from = performance.now()
    let toldAt = from
    while (validations === before) {
      const askedAt = performance.now()
      await client.validate(token)
      if (validations === before) toldAt = askedAt
      await sleep(2)
    }
    expect(toldAt - from).toBeLessThan(maxStaleMs)
    client.close()
  })

  test('never keeps an answer that was on its way when the event came', async () => {
    const { token } = await givenSession(world, project)
    let release = () => {}
    let held: Promise<void> | undefined
    let answered = 0
    const client = givenClient({
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        if (!String(input).endsWith('/validate')) return response
        validations += 1
        const text = await response.text()
        answered += 1
        await held
        return new Response(text, response)
      },
    })
    await whenLocal(token, client)
    const { token: second } = await givenSession(world, project)
    held = new Promise((resolve) => {
      release = resolve
    })
    const before = answered
    const asked = client.validate(second)
    await expect.poll(() => answered, { interval: 5 }).toBe(before + 1)
    await logout(second)
    // Events arrive in order: a client that has received this one has received the previous one.
    const stream = await openEvents(world.url, project)
    await logout(token)
    await stream.until('session.revoked')
    stream.close()
    release()
    held = undefined
    expect(await asked).toBeDefined()
    expect(await client.validate(second)).toBeUndefined()
    client.close()
  })
})

describe('a stream that is', () => {
  test.each([
    ['frozen', givenPlainClient, () => relay.freeze()],
    ['frozen, by a fetch that the client was given,', givenClient, () => relay.freeze()],
    ['cut', givenPlainClient, () => relay.cut()],
    ['refused', givenPlainClient, () => relay.refuse()],
    ['held up by ten seconds', givenPlainClient, () => relay.delay(10_000)],
  ])(
    '%s never makes an answer older than five seconds, and is used again when it is well',
    async (_, given, fail) => {
      const client = given()
      const { token } = await givenSession(world, project)
      await whenLocal(token, client)
      fail()
      expect(await staleMs(() => logout(token), isOut(token, client))).toBeLessThan(maxStaleMs)
      relay.thaw()
      relay.mend()
      relay.delay(0)
      const { token: next } = await givenSession(world, project)
      await whenLocal(next, client)
      client.close()
    },
  )

  test('kept alive by a proxy alone vouches for nothing', async () => {
    const encoder = new TextEncoder()
    let opened = 0
    const client = givenClient({
      fetch: async (input, init) => {
        if (!String(input).includes('/api/events')) return routed(input, init)
        opened += 1
        const body = new ReadableStream({
          start: (stream) => stream.enqueue(encoder.encode('id: 1-1-a\n\n: keep-alive\n\n: \n\n')),
        })
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      },
    })
    const { token } = await givenSession(world, project)
    for (let i = 0; i < 9; i++) await client.validate(token)
    expect([opened, validations]).toEqual([1, 9])
    client.close()
  })

  test('held up by another client’s transaction counts as silent', async () => {
    const { token } = await givenSession(world, project)
    await whenLocal(token)
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const { db } = other.deps
    const holding = db.transaction(
      async (tx) => {
        await tx.query({ text: 'select pg_current_xact_id()', values: [] })
        await ended
      },
      { long: true },
    )
    expect(await staleMs(() => logout(token), isOut(token))).toBeLessThan(maxStaleMs)
    end()
    await holding
    const { token: next } = await givenSession(world, project)
    await whenLocal(next)
  })
})

test('an outage of the service is one of validate, and never an old answer', async () => {
  const own = await world.another()
  const client = givenClient({ baseUrl: own.url })
  const { token } = await givenSession(world, project)
  await whenLocal(token, client)
  await own.close()
  const from = performance.now()
  await expect
    .poll(
      () =>
        client.validate(token).then(
          () => 'answered',
          (error) => error.code,
        ),
      { interval: 50 },
    )
    .toBe('NETWORK_ERROR')
  expect(performance.now() - from).toBeLessThan(maxStaleMs)
  client.close()
})
