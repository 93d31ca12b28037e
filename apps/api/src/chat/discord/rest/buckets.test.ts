import { type ChatSim, demo, startChatSim } from '@rolecall/chat-sim'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMemoryCache } from '../../../platform/cache/memory-cache.ts'
import { createLog } from '../../../platform/log.ts'
import { type ChatPlatform, ChatPlatformError } from '../../chat-platform.ts'
import { createDiscord } from '../discord.ts'

const club = demo.mainGuildId
const people = Object.values(demo.users)

let sim: ChatSim
beforeEach(async () => {
  sim = await startChatSim()
})
afterEach(() => sim.close())

const cache = () => createMemoryCache()
const instance = (shared = cache()): ChatPlatform =>
  createDiscord({
    apiUrl: sim.apiUrl,
    authorizeUrl: sim.authorizeUrl,
    cdnUrl: sim.cdnUrl,
    botToken: sim.app.botToken,
    clientId: sim.app.clientId,
    clientSecret: sim.app.clientSecret,
    callbackUrl: 'http://127.0.0.1:3000/api/auth/callback',
    log: createLog('silent'),
    cache: shared,
  })

const ask = (chat: ChatPlatform, i: number, priority: 'login' | 'background') =>
  chat.member(club, people[i % people.length] as string, priority).then(
    () => 'answered' as const,
    (error: unknown) => {
      if (error instanceof ChatPlatformError && error.failure === 'unavailable') return 'later' as const
      throw error
    },
  )

test('several instances keep one bucket together: the platform hardly ever has to say no', async () => {
  sim.rateLimits.setLimit('member', { limit: 5, perMs: 1_000 })
  const shared = cache()
  const instances = [instance(shared), instance(shared), instance(shared)]
  let answered = 0
  // Several times the size of the bucket, however long that takes.
  const lane = async (chat: ChatPlatform, from: number) => {
    for (let i = from; answered < 15; i++) {
      if ((await ask(chat, i, 'background')) === 'answered') answered += 1
    }
  }
  await Promise.all(instances.flatMap((chat, i) => [lane(chat, i * 10), lane(chat, i * 10 + 5)]))
  // One for each time that two instances request the last one at the same moment.
  expect(sim.invalidRequests.count()).toBeLessThanOrEqual(answered / 2)
  for (const chat of instances) expect(chat.budget().open).toEqual([])
})

test('a login finds something left in a bucket that background work has used up', async () => {
  sim.rateLimits.setLimit('member', { limit: 5, perMs: 60_000 })
  const chat = instance()
  const background = await Promise.all(Array.from({ length: 5 }, (_, i) => ask(chat, i, 'background')))
  expect(background.filter((outcome) => outcome === 'answered')).toHaveLength(4)
  expect(await ask(chat, 6, 'login')).toBe('answered')
  expect(sim.invalidRequests.count()).toBe(0)
})

test('a limit on everything that one instance hears of is kept by all of them', async () => {
  const shared = cache()
  let tell = () => {}
  const told = new Promise<void>((resolve) => {
    tell = resolve
  })
  const telling: typeof shared = { ...shared, set: (...mark) => shared.set(...mark).then(tell) }
  const [one, other] = [instance(telling), instance(shared)]
  sim.failNext('member', { status: 429, scope: 'global', retryAfterSec: 1 })
  const askedAt = performance.now()
  const first = ask(one, 0, 'login')
  await told
  await other.server(club, 'login')
  // The limit began after the request, and no request was sent before it was over.
  expect(performance.now() - askedAt).toBeGreaterThan(990)
  expect(await first).toBe('answered')
  expect(sim.invalidRequests.count()).toBe(1)
})
