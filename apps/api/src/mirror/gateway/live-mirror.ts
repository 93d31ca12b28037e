import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatGatewayTiming } from '#chat/chat-gateway'
import { untilAborted, within } from '#platform/async'
import type { MirrorDeps } from '../mirror-deps.ts'
import { readWholeServer } from '../rest/read-whole-server.ts'
import { syncServer } from '../rest/sync-server.ts'
import { createLeaseAcquirer } from './acquire-lease.ts'
import { ignoreOutage } from './ignore-outage.ts'
import { type Leader, type LeaderDeps, type LeaderTiming, startLeader } from './leader.ts'
import { selectNotLiveServers } from './not-live-store.ts'
import type { LiveMirror, LiveMirrorStatus, ServerNotLive } from './status.ts'
import { type AcquiredLease, findLeaderState, type LeaderState, releaseLease } from './store.ts'

/** The intervals of the leader, and of the instances that wait for its place. */
export interface LiveMirrorTiming extends LeaderTiming {
  /** The interval at which an instance checks whether there is a leader. */
  readonly checkEveryMs: number
}

const defaults: LiveMirrorTiming = {
  checkEveryMs: 500,
  renewEveryMs: 1_000,
  reconcileEveryMs: 60 * 60_000,
  sampleEveryMs: 500,
}

/** The longest time that a scrape of the metrics waits for the list of the servers that are not live. */
const maxQueryWaitMs = 300

/**
 * Creates the live mirror, which keeps the copy of Discord's servers current. One instance is the leader, and has the
 * gateway connection (see `startLeader`). Instances elect the leader with a lease in the database. This lease is
 * separate from the leases that let an instance answer from memory.
 *
 * An advisory lock is not enough. A hung process keeps its connection and so its lock, and a lock cannot stop a write
 * already in flight. Each lease therefore has an epoch number, and every write by the leader checks it.
 */
export function createLiveMirror(
  deps: MirrorDeps,
  options: {
    /** The key that encrypts the handover to the next leader. Without it, a new leader reads everything again. */
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
  // Only one process can open the embedded database.
  const isSingleInstance = db.engine === 'pglite'
  const acquireLease = createLeaseAcquirer({ db, log, gateway, isSingleInstance })
  const closing = new AbortController()
  let leader: Leader | undefined
  let state: LeaderState | undefined
  let running: Promise<void> | undefined
  let lastNotLive: readonly ServerNotLive[] = []
  let pendingQuery: Promise<readonly ServerNotLive[]> | undefined

  const run = async () => {
    while (!closing.signal.aborted) {
      // After a failure, an instance (perhaps this one) acquires the lease when it has expired.
      await checkOnce().catch((error: unknown) =>
        log.error({ err: error }, 'gateway leadership failed: internal error'),
      )
      await sleep(timing.checkEveryMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  /** Reads the state of the leader. If there is none, tries to become the leader. */
  const checkOnce = async () => {
    state = await ignoreOutage(findLeaderState(db))
    if (!isSingleInstance && !state?.isVacant) return
    const acquired = await acquireLease()
    if (acquired) await lead(acquired)
  }
  /** Acts as the leader until another instance takes over, or this instance stops. */
  const lead = async (acquired: AcquiredLease) => {
    const { epoch } = acquired
    log.info({ epoch }, 'gateway leadership acquired by this instance')
    leader = startLeader(leaderDeps, acquired, timing)
    await Promise.race([leader.ended, untilAborted(closing.signal)])
    try {
      await leader.close()
    } finally {
      leader = undefined
    }
    if (closing.signal.aborted) await ignoreOutage(releaseLease(db, epoch))
    else log.warn({ epoch }, 'gateway leadership lost to another instance')
  }
  /**
   * Returns the servers that are not live. If the database is slow, returns the previous result, because a scrape of
   * the metrics must not wait. Simultaneous callers share one query.
   */
  const listNotLiveServers = () => {
    pendingQuery ??= selectNotLiveServers(db)
      .then((servers) => {
        lastNotLive = servers
        return servers
      })
      .finally(() => {
        pendingQuery = undefined
      })
    return within(pendingQuery, maxQueryWaitMs, lastNotLive)
  }
  const ownStatus = (own: Leader): LiveMirrorStatus => ({
    isLeader: true,
    gateway: gateway.status(),
    lastEventAt: own.lastEventAt(),
    liveServerIds: own.liveServerIds(),
    pending: own.pending(),
    lagMs: Math.round(own.lagMs()),
    samples: own.samples(),
  })

  return {
    start() {
      running = run()
    },
    status: () => (leader ? ownStatus(leader) : remoteStatus(state, running ? 'closed' : 'off')),
    listNotLiveServers: async () => (running ? listNotLiveServers() : []),
    async close() {
      closing.abort()
      await running
    },
  }
}

/** Returns the status that the leader on another instance last reported. */
function remoteStatus(
  reported: LeaderState | undefined,
  stateWithoutLeader: 'closed' | 'off',
): LiveMirrorStatus {
  const { state, problem, shards, latencyMs, sessionsLeft, lagMs } = reported?.hasLeader
    ? reported
    : {
        state: stateWithoutLeader,
        problem: null,
        shards: 0,
        latencyMs: null,
        sessionsLeft: null,
        lagMs: null,
      }
  return {
    isLeader: false,
    gateway: { state, problem, shards, latencyMs, sessionsLeft },
    lastEventAt: reported?.lastEventAt ?? null,
    liveServerIds: [],
    pending: 0,
    lagMs,
    samples: { compared: 0, wrong: 0 },
  }
}
