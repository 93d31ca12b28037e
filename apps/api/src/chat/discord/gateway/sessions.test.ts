import { setTimeout as sleep } from 'node:timers/promises'
import { type ChatSim, demo, startChatSim } from '@rolecall/chat-sim'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { quick, until } from '../../../../test/live-mirror.ts'
import { createMemoryCache } from '../../../platform/cache/memory-cache.ts'
import { createLog } from '../../../platform/log.ts'
import type { ChatGateway, ChatGatewayTiming, SessionBeginnings } from '../../chat-gateway.ts'
import { createDiscordBudget } from '../rest/budget.ts'
import { createDiscordRest } from '../rest/rest.ts'
import { createDiscordGateway } from './gateway.ts'
import { createIdentifyThrottle, type IdentifyDelay } from './identify.ts'

/**
 * New sessions are counted: after 1,000 in a day the platform resets the bot's token, and everything is down until a
 * person comes. However sessions fail, they become rare.
 */

const total = 1_000

describe('the gateway, when sessions do not last', () => {
  let sim: ChatSim
  let gateway: ChatGateway | undefined
  let lines: { level: number; msg: string }[] = []
  beforeEach(async () => {
    lines = []
    sim = await startChatSim()
  })
  afterEach(async () => {
    await gateway?.close()
    await sim.close()
  })

  function open(timing: Partial<ChatGatewayTiming>) {
    const warnings: string[] = []
    const write = (line: string) => {
      const said = JSON.parse(line)
      if (said.level >= 40) warnings.push(said.msg)
      lines.push(said)
    }
    const log = createLog('info', { write })
    const { botToken } = sim.app
    const budget = createDiscordBudget(log, createMemoryCache())
    const get = createDiscordRest({ apiUrl: sim.apiUrl, botToken, log, budget })
    const opened = createDiscordGateway({ get, botToken, log, timing: { ...quick.gateway, ...timing } })
    opened.open({
      eventsMissed: () => {},
      sessionStarted: () => {},
      received: () => {},
      changed: () => {},
      beforeSession: async () => undefined,
    })
    gateway = opened
    return {
      gateway: opened,
      warnings,
      isProven: () => opened.maxStalenessMs(demo.mainGuildId) !== undefined,
    }
  }
  const failing = {
    identifyEveryMs: 50,
    minSessionMs: 60_000,
    maxIdentifyPauseMs: 60_000,
    readyTimeoutMs: 400,
  }
  const begun = () => total - sim.gateway.sessionStartsLeft()

  test.each(['atIdentify', 'afterReady'] as const)(
    'begins fewer and fewer of them while the platform ends each %s, and logs the close code once',
    async (when) => {
      sim.gateway.endSessions(when)
      const { gateway: opened, warnings } = open(failing)
      await until('four sessions', () => begun() >= 4)
      const before = performance.now()
      await until('two more', () => begun() >= 6)
      // Pauses of 0.4 and 0.8 s by then, less a quarter of jitter; without a back-off it is 0.2 s for both.
      expect(performance.now() - before).toBeGreaterThan(500)
      const told = () => warnings.filter((line) => line.includes('close code 1000, session invalidated'))
      await until('the log names the close code', () => told().length > 0)
      await until('one more', () => begun() >= 8)
      expect(told()).toHaveLength(1)
      await until('the last of them has ended, too', () => opened.status().state === 'connecting')
    },
  )

  /** Deletes the sessions at the platform and drops the connections, so that each resume is refused. */
  const disturb = async (isProven: () => boolean) => {
    sim.gateway.forgetSessions()
    sim.gateway.dropAll()
    await until('the connection is lost', () => !isProven())
  }
  const strict = { ...failing, identifyEveryMs: 500, readyTimeoutMs: 60_000 }

  test('begins a session within 8 s after each of six network failures whose resume is refused', async () => {
    const { isProven, warnings } = open(strict)
    await until('the connection is proven', isProven)
    for (let n = 0; n < 6; n++) {
      await disturb(isProven)
      await until('the connection is proven again', isProven, 8_000)
    }
    expect(begun()).toBe(7)
    expect(warnings.filter((line) => line.includes('early'))).toEqual([])
  }, 60_000)

  test('reports 4014 with its fix and the next attempt within 8 s, also after network failures', async () => {
    const { gateway: opened, isProven, warnings } = open({ ...strict, refusedPauseMs: 30_000 })
    await until('the connection is proven', isProven)
    for (let n = 0; n < 6; n++) {
      await disturb(isProven)
      if (n < 5) await until('the connection is proven again', isProven, 8_000)
      if (n === 4) sim.gateway.setMemberIntent(false)
    }
    await until('it is refused', () => opened.status().state === 'refused', 8_000)
    const { problem } = opened.status()
    expect(problem).toContain('close code 4014, disallowed intents')
    expect(problem).toContain('Turn on "Server Members Intent" in the Discord developer portal')
    expect(problem).toMatch(/Next attempt after a pause of (2\d|30) s, at [\d:]{8} UTC\.$/)
    const refusals = lines.filter(({ msg }) => msg.includes('4014'))
    expect(refusals).toMatchObject([{ level: 50, closeCode: 4_014, nextAttemptInSec: expect.any(Number) }])
    expect(warnings.filter((line) => line.includes('early'))).toEqual([])
  }, 60_000)

  test('counts a session that the platform closed and does not resume', async () => {
    const { isProven, gateway: opened } = open({ ...strict, identifyEveryMs: 1_000 })
    for (let n = 0; n < 3; n++) {
      await until('the connection is proven', isProven, 8_000)
      sim.gateway.forgetSessions()
      sim.gateway.close(4_000)
      await until('the connection is lost', () => !isProven())
    }
    await until(
      'it waits',
      () => opened.status().problem?.includes('close code 4000, unknown error') === true,
    )
  }, 60_000)

  test('counts no session that the platform interrupted and resumed', async () => {
    const { isProven, warnings } = open(strict)
    for (let n = 0; n < 4; n++) {
      await until('the connection is proven', isProven, 8_000)
      sim.gateway.close(4_000)
      await until('the connection is lost', () => !isProven())
    }
    await until('the connection is proven', isProven, 8_000)
    await disturb(isProven)
    await until('the connection is proven again', isProven, 8_000)
    expect(begun()).toBe(2)
    expect(warnings.filter((line) => line.includes('early'))).toEqual([])
  }, 60_000)

  test('begins again after the pause once sessions last', async () => {
    sim.gateway.endSessions('atIdentify')
    const { isProven } = open({ ...failing, maxIdentifyPauseMs: 500 })
    await until('four sessions', () => begun() >= 4)
    sim.gateway.endSessions('never')
    await until('the connection is proven', isProven)
  })

  test('begins as many as the platform says are left, and no more before it says so', async () => {
    sim.gateway.leaveSessionStarts(2, 20_000)
    sim.gateway.endSessions('atIdentify')
    // An attempt abandoned on a busy machine would send another request, and succeed.
    const { gateway: opened } = open({ ...failing, maxIdentifyPauseMs: 50, readyTimeoutMs: 60_000 })
    await until('none is left', () => sim.gateway.sessionStartsLeft() === 0)
    await until('it waits', () => opened.status().problem?.includes('no more new gateway sessions') === true)
    expect(opened.status().problem).toMatch(/Next attempt after a pause of \d+ s, at [\d:]{8} UTC\.$/)
    sim.gateway.leaveSessionStarts(5)
    await sleep(1_000)
    expect(sim.gateway.sessionStartsLeft()).toBe(5)
  })

  test('a session is resumed although no new one is left', async () => {
    const { isProven } = open({})
    await until('the connection is proven', isProven)
    sim.gateway.leaveSessionStarts(0)
    sim.gateway.dropAll()
    await until('the connection is lost', () => !isProven())
    await until('the connection is proven again', isProven)
  })

  test('a resume without a response is given up after its own time limit', async () => {
    const { isProven } = open({ readyTimeoutMs: 60_000, resumeTimeoutMs: 500 })
    await until('the connection is proven', isProven)
    sim.gateway.ignoreResume()
    sim.gateway.dropAll()
    await until('the connection is lost', () => !isProven())
    await until('the connection is proven again', isProven, 10_000)
  })
})

describe('the throttle', () => {
  const timing = { identifyEveryMs: 20, minSessionMs: 1_000, maxIdentifyPauseMs: 300 }
  const { signal } = new AbortController()
  const quiet = { delayed: () => {}, record: async () => {} }

  test('two shards of one lane take turns; lanes do not wait for each other', async () => {
    const throttle = createIdentifyThrottle(timing)
    const began = performance.now()
    const at = async (shard: number, lane: number) => {
      await throttle.waitForTurn({ ...quiet, shard, lane }, signal)
      return performance.now() - began
    }
    const [, second, other] = await Promise.all([at(0, 0), at(1, 0), at(2, 1)])
    expect(second).toBeGreaterThanOrEqual(19)
    expect(other).toBeLessThan(second)
  })

  test('a wait that is given up costs no other caller a turn', async () => {
    const throttle = createIdentifyThrottle({ ...timing, identifyEveryMs: 200 })
    const turn = { ...quiet, lane: 0 }
    await throttle.waitForTurn({ ...turn, shard: 0 }, signal)
    const began = performance.now()
    for (const shard of [1, 2, 3]) {
      const givenUp = throttle.waitForTurn({ ...turn, shard }, AbortSignal.timeout(10))
      await expect(givenUp).rejects.toThrow()
    }
    await throttle.waitForTurn({ ...turn, shard: 4 }, signal)
    expect(performance.now() - began).toBeLessThan(390)
  })

  const slow = { identifyEveryMs: 300, minSessionMs: 60_000, maxIdentifyPauseMs: 60_000 }

  test('goes on where another instance was: its turn, its failures, and what is left', async () => {
    let known: SessionBeginnings | undefined
    const record = async (recorded: SessionBeginnings) => {
      known = recorded
    }
    const one = createIdentifyThrottle(slow)
    one.setLimit({ remaining: 2, reset_after: 1_000 })
    for (let n = 0; n < 2; n++) {
      await one.waitForTurn({ ...quiet, record, shard: 0, lane: 0 }, signal)
      one.recordEnd(0, 4_008)
    }
    const other = createIdentifyThrottle(slow)
    other.restore(known as SessionBeginnings, 0)
    expect(other.remaining()).toBe(0)
    const delays: number[] = []
    const delayed = ({ pauseMs }: IdentifyDelay) => void delays.push(pauseMs)
    await other.waitForTurn({ ...quiet, delayed, shard: 0, lane: 0 }, signal)
    // None was left until the reset.
    expect(delays[0]).toBeGreaterThan(400)
    const late = createIdentifyThrottle(slow)
    late.restore(known as SessionBeginnings, 120_000)
    const began = performance.now()
    await late.waitForTurn({ ...quiet, shard: 0, lane: 0 }, signal)
    expect(performance.now() - began).toBeLessThan(250)
  })

  test('spreads the last sessions of the day over the time until the reset', async () => {
    let time = 0
    const throttle = createIdentifyThrottle({ ...slow, identifyEveryMs: 5_500 }, () => time)
    throttle.setLimit({ remaining: 100, reset_after: 5_000_000 })
    const turn = { ...quiet, shard: 0, lane: 0 }
    await throttle.waitForTurn(turn, signal)
    const closing = new AbortController()
    const delays: IdentifyDelay[] = []
    const second = throttle.waitForTurn(
      { ...turn, delayed: (delay) => void delays.push(delay) },
      closing.signal,
    )
    closing.abort()
    await expect(second).rejects.toThrow()
    expect(delays[0]).toMatchObject({ problem: expect.stringContaining('Few new gateway sessions') })
    expect(delays[0]?.pauseMs).toBeGreaterThan(30_000)
    // A session that is needed once in a while does not wait.
    time = 60_000
    await throttle.waitForTurn(turn, signal)
    // The platform's new count ends the pause of the old one.
    time = 66_000
    throttle.setLimit({ remaining: 900, reset_after: 5_000_000 })
    await throttle.waitForTurn({ ...turn, delayed: () => expect.unreachable() }, signal)
  })

  test('begins no session that could not be recorded', async () => {
    const throttle = createIdentifyThrottle(timing)
    let tries = 0
    const record = async () => {
      tries += 1
      if (tries < 2) throw new Error('away')
    }
    await throttle.waitForTurn({ ...quiet, record, shard: 0, lane: 0 }, signal)
    expect(tries).toBe(2)
    const closing = new AbortController()
    const never = throttle.waitForTurn(
      { ...quiet, shard: 1, lane: 1, record: async () => Promise.reject(new Error('lost')) },
      closing.signal,
    )
    closing.abort()
    await expect(never).rejects.toThrow()
  })
})
