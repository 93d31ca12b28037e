import { demo } from '@rolecall/chat-sim'
import { expect, test } from 'vitest'
import { givenProject, givenSession, validate } from '../../../../test/given.ts'
import { startWorld } from '../../../../test/service.ts'
import { createMemoryCache } from '../../../platform/cache/memory-cache.ts'
import { createLog } from '../../../platform/log.ts'
import { createDiscordBudget, type Spending } from './budget.ts'

const [club, games] = [demo.mainGuildId, demo.gamesGuildId]
const minute = 60_000

/** A budget under a clock of its own. */
function givenBudget(cache = createMemoryCache()) {
  let now = 0
  const budget = createDiscordBudget(createLog('silent'), cache, () => now)
  /** Returns true if the request was sent. */
  const ask = (spending: Spending, status: number, headers: Record<string, string> = {}) => {
    try {
      budget.spend(spending)
    } catch {
      return false
    }
    budget.recordResponse(spending, { status, headers: new Headers(headers) })
    return true
  }
  return {
    budget,
    ask,
    wait: (ms: number) => {
      now += ms
    },
    /** Returns the number of requests that were sent in a time with one attempt each 50 ms. */
    askFor: (ms: number, spending: Spending, status: number) => {
      let sent = 0
      for (const until = now + ms; now < until; now += 50) if (ask(spending, status)) sent += 1
      return sent
    },
  }
}

const login: Spending = { lane: 'login', serverId: club }
const background: Spending = { lane: 'background', serverId: club }

test.each([
  ['a dead bot token', 401, background],
  ['a storm of limits', 429, background],
  ['a server that is not shown', 403, background],
  ['a wrong client secret', 401, { lane: 'oauth' } as const],
])(
  '%s costs fewer than 100 requests in an hour, of 10,000 that would ban the address',
  (_, status, spending) => {
    const { askFor, budget } = givenBudget()
    expect(askFor(60 * minute, spending, status)).toBeLessThan(100)
    expect(budget.state().open).toHaveLength(1)
  },
)

test('a server that refuses us does not stop the others, and a wrong secret does not stop the bot', () => {
  const { ask, askFor } = givenBudget()
  askFor(2_000, background, 403)
  askFor(2_000, { lane: 'oauth' }, 401)
  expect(ask(background, 200)).toBe(false)
  expect(ask({ lane: 'oauth' }, 200)).toBe(false)
  expect(ask({ lane: 'background', serverId: games }, 200)).toBe(true)
})

test('after a pause one request finds out whether it is over; logins may first', () => {
  const { ask, askFor, wait, budget } = givenBudget()
  askFor(1_000, background, 401)
  expect(budget.state().open).toMatchObject([{ name: 'token' }])
  wait(30_000)
  expect(ask(background, 200)).toBe(false)
  budget.spend(login)
  expect(ask(login, 200)).toBe(false)
  budget.recordResponse(login, { status: 200, headers: new Headers() })
  expect(budget.state().open).toEqual([])
  expect(ask(background, 200)).toBe(true)
})

test('a probe that fails doubles the pause, and one without a result does not last', () => {
  const { ask, askFor, wait, budget } = givenBudget()
  askFor(1_000, background, 401)
  wait(40_000)
  expect(ask(background, 401)).toBe(true)
  wait(40_000)
  expect(ask(background, 200)).toBe(false)
  wait(30_000)
  budget.spend(login)
  wait(16_000)
  expect(ask(login, 200)).toBe(true)
  expect(budget.state().open).toEqual([])
})

test('a limit pauses for as long as the platform asks, and the next login finds out whether it is over', () => {
  const { ask, wait, budget } = givenBudget()
  const oauth: Spending = { lane: 'oauth' }
  const limited = { 'retry-after': '1' }
  expect(ask(oauth, 429, limited)).toBe(true)
  expect(ask(oauth, 200)).toBe(false)
  expect(budget.state().open).toEqual([{ name: 'oauth', nextTryInMs: 1_000 }])
  wait(1_000)
  expect(ask(oauth, 200)).toBe(true)
  expect(budget.state().open).toEqual([])

  for (let i = 0; i < 30; i++) ask(background, 429, limited)
  expect(budget.state().open).toEqual([{ name: 'rate', nextTryInMs: 1_000 }])
  wait(1_000)
  expect(ask(background, 200)).toBe(false)
  expect(ask(login, 200)).toBe(true)
  expect(budget.state().open).toEqual([])
})

test('a limit that goes on pauses for longer each time, and never for less than the platform asks', () => {
  const { ask, wait, budget } = givenBudget()
  const oauth: Spending = { lane: 'oauth' }
  const pauses = ['1', '1', '1', '60', '1'].map((seconds) => {
    expect(ask(oauth, 429, { 'retry-after': seconds })).toBe(true)
    const pauseMs = budget.state().open[0]?.nextTryInMs ?? 0
    wait(pauseMs)
    return pauseMs
  })
  expect(pauses).toEqual([1_000, 2_000, 4_000, 60_000, 120_000])
})

test('junk codes, refused codes and limits of one member open nothing, however many', () => {
  const { ask, budget, wait } = givenBudget()
  for (let i = 0; i < 900; i++) {
    expect(ask({ lane: 'oauth' }, 400)).toBe(true)
    expect(ask({ lane: 'oauth' }, i % 2 ? 400 : 403)).toBe(true)
    expect(ask({ lane: 'oauth', usesMemberToken: true }, i % 2 ? 401 : 429)).toBe(true)
    wait(700)
  }
  expect(budget.state().open).toEqual([])
})

test('limits of the logins do not stop the bot, nor limits of the bot the logins', () => {
  const { ask } = givenBudget()
  ask({ lane: 'oauth' }, 429, { 'retry-after': '60' })
  expect(ask({ lane: 'oauth' }, 200)).toBe(false)
  for (let i = 0; i < 30; i++) expect(ask(login, 429, { 'retry-after': '60' })).toBe(true)
  expect(ask(login, 200)).toBe(false)
  const another = givenBudget()
  for (let i = 0; i < 30; i++) another.ask(login, 429, { 'retry-after': '60' })
  expect(another.ask({ lane: 'oauth' }, 200)).toBe(true)
})

test('limits that others have used up, refusals here and there, and outages open nothing', () => {
  const { ask, wait, budget } = givenBudget()
  for (let i = 0; i < 200; i++) {
    expect(ask(login, 429, { 'x-ratelimit-scope': 'shared' })).toBe(true)
    expect(ask(login, 503)).toBe(true)
    expect(ask(login, i % 20 === 0 ? 403 : 200)).toBe(true)
    wait(1_000)
  }
  expect(budget.state()).toMatchObject({ open: [], refusedLast10Minutes: 10 })
})

test('instances behind one address stop together, well before the ban, with any failures of each', async () => {
  const cache = createMemoryCache()
  const instances = Array.from({ length: 10 }, () => givenBudget(cache))
  let sent = 0
  // Here and there a refusal, of too many servers for any one of them to be given up.
  for (let server = 0; server < 1_000; server++) {
    for (const { ask, wait } of instances) {
      const spending = { lane: 'background', serverId: String(server) } as const
      for (let i = 0; i < 5; i++) if (ask(spending, 403)) sent += 1
      wait(100)
    }
    await Promise.resolve()
  }
  expect(sent).toBeGreaterThan(1_999)
  expect(sent).toBeLessThan(2_200)
  for (const { budget } of instances) expect(budget.state().open).toMatchObject([{ name: 'total' }])
})

test('shows what was sent, what is left, and how long the last answer took', async () => {
  const { ask, budget, wait } = givenBudget()
  ask(login, 200)
  ask(background, 401)
  budget.recordLatency(12.4)
  await Promise.resolve()
  expect(budget.state()).toEqual({
    perSecond: 48,
    remaining: 46,
    latencyMs: 12,
    sentLastMinute: { login: 1, background: 1, oauth: 0 },
    refusedLast10Minutes: 1,
    refusedTogether: 1,
    open: [],
  })
  wait(10 * minute)
  expect(budget.state()).toMatchObject({ remaining: 48, refusedLast10Minutes: 0, refusedTogether: 0 })
})

test('with a dead bot token members stay logged in, and the platform is asked fewer than 100 times', async () => {
  const world = await startWorld('postgres', { PERMISSION_TTL_MS: '0', RATE_LIMIT_GLOBAL: '0' })
  try {
    const project = await givenProject(world)
    const sessions = []
    for (const id of [demo.users.ada, demo.users.joon]) sessions.push(await givenSession(world, project, id))
    world.sim.app.botToken = 'another-token'
    for (let i = 0; i < 150; i++) {
      const replies = await Promise.all(sessions.map(({ token }) => validate(world, project, token)))
      const said = replies.map(({ status, body }) => `${status} ${body.rolesSource}`)
      expect(said).toEqual(['200 mirror', '200 mirror'])
    }
    // Sent directly, without the pause after a server's failure: every path must observe the budget.
    for (let i = 0; i < 150; i++) await world.service.deps.chat.server(club, 'login').catch(() => {})
    expect(world.sim.invalidRequests.count()).toBeLessThan(100)
    expect(world.service.deps.chat.budget().open).toMatchObject([{ name: 'token' }])
  } finally {
    await world.close()
  }
})
