import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatGatewayTiming } from '#chat/chat-gateway'
import { untilAborted, within } from '#platform/async'
import type { MirrorDeps } from '../mirror-deps.ts'
import { readWholeServer } from '../rest/read-whole-server.ts'
import { syncServer } from '../rest/sync-server.ts'
import { ignoreOutage } from './ignore-outage.ts'
import { type Leader, type LeaderDeps, type LeaderTiming, startLeader } from './leader.ts'
import { listNotLive } from './not-live-store.ts'
import type { LiveMirror, LiveMirrorStatus, ServerNotLive } from './status.ts'
import { findLeaderState, giveUpLead, type LeaderState, type TakenLead } from './store.ts'
import { createCandidate } from './take-lead.ts'

export interface LiveMirrorTiming extends LeaderTiming {
  /** How often an instance checks whether there is a leader. */
  readonly lookEveryMs: number
}

const defaults: LiveMirrorTiming = {
  lookEveryMs: 500,
  renewEveryMs: 1_000,
  reconcileEveryMs: 60 * 60_000,
  sampleEveryMs: 500,
}

/** Longest wait for the database when the servers that are not live are requested. */
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
  const leaderDeps: LeaderDeps = {
    ...deps,
    gateway,
    handoverKey: options.handoverKey,
    readServer: (serverId, signal) => readWholeServer(deps, serverId, signal),
    readRoles: (serverId) => syncServer(deps, serverId),
  }
  // No other process can have the embedded database.
  const isAlone = db.engine === 'pglite'
  const take = createCandidate({ db, log, gateway, isAlone })
  const closing = new AbortController()
  let leader: Leader | undefined
  let state: LeaderState | undefined
  let running: Promise<void> | undefined
  let lastNotLive: readonly ServerNotLive[] = []
  let asking: Promise<readonly ServerNotLive[]> | undefined

  const lookOnce = async () => {
    state = await ignoreOutage(findLeaderState(db))
    if (!isAlone && !state?.isVacant) return
    const taken = await take()
    if (taken) await lead(taken)
  }
  /** Leads until another instance does, or until this one stops. */
  const lead = async (taken: TakenLead) => {
    const { epoch } = taken
    log.info({ epoch }, 'this instance keeps the mirror live')
    leader = startLeader(leaderDeps, taken, timing)
    await Promise.race([leader.lost, untilAborted(closing.signal)])
    try {
      await leader.close()
    } finally {
      leader = undefined
    }
    if (closing.signal.aborted) await ignoreOutage(giveUpLead(db, epoch))
    else log.warn({ epoch }, 'another instance keeps the mirror live now')
  }
  /** Returns the last known servers when the database does not answer soon: a scrape must not wait. */
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
      // The mirror is live again, here or on another instance, once the lease has expired.
      await lookOnce().catch((error: unknown) =>
        log.error({ err: error }, 'the mirror was not kept live: internal error'),
      )
      await sleep(timing.lookEveryMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  const ownStatus = (own: Leader): LiveMirrorStatus => ({
    isLeader: true,
    gateway: gateway.status(),
    lastEventAt: own.lastEventAt(),
    vouched: own.vouched(),
    pending: own.pending(),
    lagMs: Math.round(own.lagMs()),
    samples: own.samples(),
  })

  return {
    start() {
      running = run()
    },
    status: () => (leader ? ownStatus(leader) : statusElsewhere(state, running ? 'closed' : 'off')),
    notLive: async () => (running ? notLive() : []),
    async close() {
      closing.abort()
      await running
    },
  }
}

/** Returns what the leader on another instance last said. */
function statusElsewhere(known: LeaderState | undefined, without: 'closed' | 'off'): LiveMirrorStatus {
  const { state, problem, shards, latencyMs, sessionsLeft, lagMs } = known?.hasLeader
    ? known
    : { state: without, problem: null, shards: 0, latencyMs: null, sessionsLeft: null, lagMs: null }
  return {
    isLeader: false,
    gateway: { state, problem, shards, latencyMs, sessionsLeft },
    lastEventAt: known?.lastEventAt ?? null,
    vouched: [],
    pending: 0,
    lagMs,
    samples: { asked: 0, wrong: 0 },
  }
}
