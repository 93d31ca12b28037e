import { setTimeout as sleep } from 'node:timers/promises'
import { type ChatSim, demo, type Fault } from '@rolecall/chat-sim'
import type { Random } from './random.ts'

const club = demo.mainGuildId

/** Creates all faults of the platform, except false events: events may be late, but are always true. */
export function createTrouble(sim: ChatSim, random: Random) {
  const { gateway, world } = sim
  const faults: readonly Fault[] = [
    { status: 429, retryAfterSec: 1 },
    { status: 429, scope: 'global', retryAfterSec: 1 },
    { status: 429, headerless: true },
    { status: 429, plain1015: true },
    { status: 500 },
    { status: 502, html: true },
    { status: 503 },
    { status: 403, code: 50_001 },
    { status: 404, code: 10_004 },
    { delayMs: 300 },
    { reset: true },
    { truncate: true },
    { html200: true },
  ]
  const closeCodes = [1_000, 1_001, 1_011, 4_000, 4_001, 4_002, 4_003, 4_005, 4_007, 4_008, 4_009]
  let isFrozen = false
  const kinds: readonly (readonly [weight: number, name: string, run: () => void])[] = [
    [3, 'drop', () => gateway.dropAll()],
    [
      2,
      'freeze',
      () => {
        isFrozen = true
        gateway.freeze()
      },
    ],
    [2, 'reconnect', () => gateway.reconnect()],
    [2, 'invalid session', () => gateway.invalidSession(random.chance(0.5))],
    [3, 'close', () => gateway.close(random.one(closeCodes) ?? 4_000)],
    [
      1,
      'forgotten sessions',
      () => {
        gateway.forgetSessions()
        gateway.dropAll()
      },
    ],
    [1, 'refuse', () => gateway.refuse(random.between(200, 1_500))],
    [1, 'ignore resume', () => gateway.ignoreResume()],
    [1, 'late events', () => gateway.delayDispatches(maxDelayMs)],
    [1, 'doubled events', () => gateway.duplicateDispatches()],
    [
      4,
      'failing requests',
      () => void sim.failFor('*', random.one(faults) ?? { status: 503 }, random.between(100, 1_500)),
    ],
    [1, 'outage of the server', () => world.setGuildUnavailable(club, true)],
    [1, 'end of an outage', () => world.setGuildUnavailable(club, false)],
    [1, 'bot thrown out', () => world.kickBot(club)],
    [1, 'bot invited', () => void world.inviteBot(club)],
  ]

  return {
    /** Causes a fault and returns its name. */
    make(): string {
      const [, name, run] = random.weighted(kinds.map((kind) => [kind[0], kind] as const))
      run()
      return name
    },
    /** Ends all faults. Data that the platform has lost stays lost. */
    async end() {
      // Delivers delayed events first, because the platform keeps the order of its events.
      gateway.delayDispatches(0)
      await sleep(maxDelayMs)
      sim.clearFaults()
      // Cuts connections that were silent, because a network does not lose single messages.
      if (isFrozen) gateway.dropAll()
      isFrozen = false
      gateway.refuse(0)
      gateway.ignoreResume(false)
      gateway.duplicateDispatches(false)
      world.setGuildUnavailable(club, false)
      world.inviteBot(club)
    },
  }
}

/** The longest time for which the platform itself delays its events. */
export const maxDelayMs = 200
