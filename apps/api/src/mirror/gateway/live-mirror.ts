import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatGatewayTiming } from '#chat/chat-gateway'
import { within } from '#platform/async'
import type { MirrorDeps } from '../mirror-deps.ts'
import { readWholeServer } from '../rest/read-whole-server.ts'
import { syncServer } from '../rest/sync-server.ts'
import { ignoreOutage } from './ignore-outage.ts'
import { type Leader, type LeaderDeps, type LeaderTiming, startLeader } from './leader.ts'
import { listNotLive } from './not-live-store.ts'
import type { LiveMirror, LiveMirrorStatus, ServerNotLive } from './status.ts'
import { giveUpLead, type LeaderState, leaderState, type TakenLead, takeLead } from './store.ts'

export interface LiveMirrorTiming extends LeaderTiming {
  /** How often an instance that does not lead looks whether somebody does. */
  readonly lookEveryMs: number
}

const defaults: LiveMirrorTiming = {
  lookEveryMs: 500,
  renewEveryMs: 1_000,
  reconcileEveryMs: 60 * 60_000,
  sampleEveryMs: 500,
}

/** How long whoever asks for the servers that are not live waits for the database. */
const maxAskMs = 300

/**
 * Leadership is a lease in the database. An advisory lock would not do: a hung process keeps its connection,
 * and with it the lock; and a lock says nothing to a batch that is on its way. The lease names an epoch, and
 * whatever the leader writes, it writes only while that epoch holds.
 */
export function createLiveMirror(
  deps: MirrorDeps,
  options: {
    handoverKey?: string | undefined
    mirror?: Partial<LiveMirrorTiming>
    gateway?: Partial<ChatGatewayTiming>
  } = {},
): LiveMirror {
  const { db, log } = deps
  const timing = { ...defaults, ...options.mirror }
  const gateway = deps.chat.gateway(options.gateway)
  const leading: LeaderDeps = {
    ...deps,
    gateway,
    handoverKey: options.handoverKey,
    readServer: (serverId, signal) => readWholeServer(deps, serverId, signal),
    readRoles: (serverId) => syncServer(deps, serverId),
  }
  const holder = randomUUID()
  const closing = new AbortController()
  let leader: Leader | undefined
  let others: LeaderState | undefined
  let running: Promise<void> | undefined
  let lastNotLive: readonly ServerNotLive[] = []
  let asking: Promise<readonly ServerNotLive[]> | undefined

  const lead = async (taken: TakenLead) => {
    const { epoch } = taken
    log.info({ epoch }, 'this instance keeps the mirror live')
    leader = startLeader(leading, taken, timing)
    const closed = new Promise<void>((resolve) => {
      closing.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    await Promise.race([leader.lost, closed])
    await leader.close()
    leader = undefined
    if (closing.signal.aborted) await ignoreOutage(giveUpLead(db, epoch))
    else log.warn({ epoch }, 'another instance keeps the mirror live now')
  }
  /** The lead, if there is one to have. Nobody else can have the embedded database. */
  const look = async () => {
    const isAlone = db.engine === 'pglite'
    others = await ignoreOutage(leaderState(db))
    return isAlone || others?.isVacant ? ignoreOutage(takeLead(db, holder, isAlone)) : undefined
  }
  /** As last known where the database does not say at once: a scrape waits for nobody. */
  const notLive = () => {
    asking ??= listNotLive(db)
      .then((found) => {
        lastNotLive = found
        return found
      })
      .finally(() => {
        asking = undefined
      })
    return within(asking, maxAskMs, lastNotLive)
  }
  const run = async () => {
    while (!closing.signal.aborted) {
      const taken = await look()
      if (taken) await lead(taken)
      else await sleep(timing.lookEveryMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  return {
    start() {
      running = run().catch((error: unknown) => {
        log.error({ err: error }, 'the mirror is not kept live because of a fault of ours')
      })
    },
    status() {
      if (leader) {
        return {
          isLeader: true,
          gateway: gateway.status(),
          lastEventAt: leader.lastEventAt(),
          vouched: leader.vouched(),
          pending: leader.pending(),
          lagMs: Math.round(leader.lagMs()),
          samples: leader.samples(),
        }
      }
      const nobodys = { state: running ? 'closed' : 'off', problem: null, shards: 0, latencyMs: null }
      const nothing = { ...nobodys, sessionsLeft: null, lagMs: null }
      const { state, problem, shards, latencyMs, sessionsLeft, lagMs } = others?.hasLeader ? others : nothing
      const known = {
        state: state as LiveMirrorStatus['gateway']['state'],
        problem,
        shards,
        latencyMs,
        sessionsLeft,
      }
      return {
        isLeader: false,
        gateway: known,
        lastEventAt: others?.lastEventAt ?? null,
        vouched: [],
        pending: 0,
        lagMs,
        samples: { asked: 0, wrong: 0 },
      }
    },
    notLive: async () => (running ? notLive() : []),
    async close() {
      closing.abort()
      await running
    },
  }
}
