import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '@rolecall/chat-sim'
import type { SoakPlace } from './place.ts'
import type { Random } from './random.ts'
import type { Allowance, Verdicts } from './verdicts.ts'

/** A fault that the soak causes, and the promises that must hold meanwhile. */
export interface SoakFault {
  readonly name: string
  readonly part: 'Database' | 'Cache' | 'Discord' | 'Process'
  readonly promise: string
  readonly allows: Allowance
  /** The minimum and the maximum duration in milliseconds. 0 if the fault is over at once. */
  readonly lastsMs: readonly [number, number]
  readonly begin: (place: SoakPlace) => Promise<unknown> | unknown
  readonly end?: (place: SoakPlace) => Promise<unknown> | unknown
}

/** The index, in `place.instances`, of the instance that is stopped, killed, and hung. */
const troubled = 1
// During a database outage, a sign-in that is under way may end at its redirect URI, or on a page.
const databaseCodes = ['DATABASE_UNAVAILABLE', 'temporarily_unavailable', 'a page']
const database: Allowance = { logins: true, codes: databaseCodes }
/**
 * The allowed effects of an outage of the chat platform: operations that need it fail with its code, e.g. a decision
 * about an administrator with unknown roles.
 */
const platform: Allowance = {
  logins: true,
  codes: ['CHAT_PLATFORM_UNAVAILABLE', 'temporarily_unavailable', 'a page'],
}

const unavailable =
  'Requests receive 503 with Retry-After, never 401. The service recovers by itself. Acknowledged changes are stored.'
const withoutCache = 'The service reads from the database. No request fails.'
const rolesCatchUp =
  'Roles are read again when they are 60 s old, and `rolesAsOf` contains the time of that read. Sessions of departed members end when the departure is reported or read.'
const sessionsGoOn =
  'Validate, refresh, logout, session lists, and the admin API work. Sign-ins report the problem. No session ends.'

const failing = (name: string, fault: Fault): SoakFault => ({
  name,
  part: 'Discord',
  promise: sessionsGoOn,
  allows: platform,
  lastsMs: [2_000, 8_000],
  begin: ({ sim }) => sim.failFor('*', fault, 600_000),
  end: ({ sim }) => sim.clearFaults(),
})

/** The faults that the soak causes at random. */
export const soakFaults: readonly SoakFault[] = [
  {
    name: 'instance stopped by SIGTERM and started',
    part: 'Process',
    // A client may send a request on an idle connection at the moment at which the service closes it. The service does
    // not accept that request, and HTTP has no means to tell the client.
    promise:
      'Accepted requests receive their responses. Only a request on an idle connection that is closed at that moment fails.',
    allows: { lost: troubled },
    lastsMs: [500, 3_000],
    begin: ({ troubled: one }) => one.stop(),
    end: ({ troubled: one }) => one.start(),
  },
  {
    name: 'instance killed with SIGKILL and started',
    part: 'Process',
    promise:
      'Acknowledged changes are stored. Only requests in progress at that instance fail. The other instance serves all requests.',
    allows: { lost: troubled },
    lastsMs: [500, 5_000],
    begin: ({ troubled: one }) => one.kill(),
    end: ({ troubled: one }) => one.start(),
  },
  {
    name: 'worker killed with SIGKILL',
    part: 'Process',
    promise: 'Only requests in progress in that worker fail. A new worker replaces it.',
    allows: { lost: troubled },
    lastsMs: [3_000, 3_000],
    begin: ({ troubled: one }) => one.killWorker(),
  },
  {
    name: 'instance suspended (SIGSTOP) and resumed',
    part: 'Process',
    promise: 'The other instance serves all requests. Sessions that were revoked meanwhile stay invalid.',
    // By the time the instance resumes, its pending statements have timed out at the database.
    allows: { lost: troubled, codes: databaseCodes, logins: true },
    lastsMs: [1_000, 6_000],
    begin: ({ troubled: one }) => one.hang(),
    end: ({ troubled: one }) => one.resume(),
  },
  {
    name: 'database restarted',
    part: 'Database',
    promise: unavailable,
    allows: database,
    lastsMs: [200, 4_000],
    begin: ({ postgres }) => postgres.stop(),
    end: ({ postgres }) => postgres.start(),
  },
  {
    name: 'database killed with SIGKILL and started',
    part: 'Database',
    promise: unavailable,
    allows: database,
    lastsMs: [200, 4_000],
    begin: ({ postgres }) => postgres.kill(),
    end: ({ postgres }) => postgres.start(),
  },
  {
    name: 'database suspended (SIGSTOP) and resumed',
    part: 'Database',
    promise: unavailable,
    allows: database,
    lastsMs: [500, 6_000],
    begin: ({ postgres }) => postgres.pause(),
    end: ({ postgres }) => postgres.resume(),
  },
  {
    name: 'cache killed and started empty',
    part: 'Cache',
    promise: withoutCache,
    allows: {},
    lastsMs: [500, 6_000],
    begin: ({ redis }) => redis.kill(),
    end: ({ redis }) => redis.start(),
  },
  {
    name: 'cache suspended (SIGSTOP) and resumed',
    part: 'Cache',
    promise: withoutCache,
    allows: {},
    lastsMs: [500, 6_000],
    begin: ({ redis }) => redis.pause(),
    end: ({ redis }) => redis.resume(),
  },
  failing('Discord returns 503', { status: 503 }),
  failing('Discord returns 429', { status: 429, retryAfterSec: 1 }),
  failing('Discord responds a second late', { delayMs: 1_000 }),
  failing('Discord returns HTML', { html200: true }),
  {
    name: 'Discord is unreachable',
    part: 'Discord',
    promise: sessionsGoOn,
    allows: platform,
    lastsMs: [2_000, 8_000],
    begin: ({ sim }) => sim.down(),
    end: ({ sim }) => sim.up(),
  },
  {
    name: 'gateway closed, and its sessions invalidated',
    part: 'Discord',
    promise: rolesCatchUp,
    allows: {},
    lastsMs: [500, 5_000],
    begin: ({ sim }) => {
      sim.gateway.refuse(600_000)
      sim.gateway.forgetSessions()
      sim.gateway.dropAll()
    },
    end: ({ sim }) => sim.gateway.refuse(0),
  },
  {
    name: 'gateway silent, then closed',
    part: 'Discord',
    promise: rolesCatchUp,
    allows: {},
    lastsMs: [2_000, 12_000],
    begin: ({ sim }) => sim.gateway.freeze(),
    end: ({ sim }) => {
      sim.gateway.thaw()
      sim.gateway.dropAll()
    },
  },
]

/** Causes a fault, waits for its duration, and undoes it. */
export async function makeFault(
  fault: SoakFault,
  place: SoakPlace,
  random: Random,
  verdicts: Verdicts,
): Promise<void> {
  const ended = verdicts.begin(fault.name, fault.allows)
  await fault.begin(place)
  await sleep(random.between(...fault.lastsMs))
  await fault.end?.(place)
  ended()
}
