import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatGatewayTiming } from '#chat/chat-gateway'
import type { MirrorDeps } from '../mirror-deps.ts'
import { readWholeServer } from '../rest/read-whole-server.ts'
import { syncServer } from '../rest/sync-server.ts'
import { ignoreOutage } from './ignore-outage.ts'
import { type Leader, type LeaderDeps, type LeaderTiming, startLeader } from './leader.ts'
import type { LiveMirror, LiveMirrorStatus } from './status.ts'
import { giveUpLead, type LeaderState, leaderState, type TakenLead, takeLead } from './store.ts'

export interface LiveMirrorTiming extends LeaderTiming {
  /** How often an instance that does not lead looks whether somebody does. */
  readonly lookEveryMs: number
}

const defaults: LiveMirrorTiming = { lookEveryMs: 500, renewEveryMs: 1_000, reconcileEveryMs: 60 * 60_000 }

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
      }
    },
    async close() {
      closing.abort()
      await running
    },
  }
}
