import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatGateway, ChatGatewayStatus } from '#chat/chat-gateway'
import { DatabaseUnavailable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { type Leader, type LeaderTiming, startLeader } from './leader.ts'
import type { ReadServer } from './resyncs.ts'
import { giveUpLead, type LeaderState, leaderState, takeLead } from './store.ts'
import type { MirrorWrites } from './write-events.ts'

export interface LiveMirrorTiming extends LeaderTiming {
  /** How often an instance that does not lead looks whether somebody does. */
  readonly lookEveryMs: number
}

const defaults: LiveMirrorTiming = { lookEveryMs: 1_000, beatEveryMs: 1_000, reconcileEveryMs: 60 * 60_000 }

export interface LiveMirrorStatus {
  readonly isLeader: boolean
  /** The gateway connection of whichever instance leads; `closed` when none does. */
  readonly gateway: Pick<ChatGatewayStatus, 'state' | 'problem'>
  /** On the leader: servers that are vouched for now, and events that are not written yet. */
  readonly vouched: readonly string[]
  readonly pending: number
}

/** The mirror of the chat platform, kept true by its gateway on one of all instances. */
export interface LiveMirror {
  start(): void
  status(): LiveMirrorStatus
  close(): Promise<void>
}

type MirrorDeps = Pick<Deps, 'db' | 'log'> & MirrorWrites & { gateway: ChatGateway; readServer: ReadServer }

/**
 * Leadership is a lease in the database. An advisory lock would not do: a hung process keeps its connection,
 * and with it the lock; and a lock says nothing to a batch that is on its way. The lease names an epoch, and
 * whatever the leader writes, it writes only while that epoch holds.
 */
export function createLiveMirror(deps: MirrorDeps, options: Partial<LiveMirrorTiming> = {}): LiveMirror {
  const { db, log, gateway } = deps
  const timing = { ...defaults, ...options }
  const holder = randomUUID()
  const closing = new AbortController()
  let leader: Leader | undefined
  let others: LeaderState | undefined
  let running = Promise.resolve()

  const lead = async (epoch: number) => {
    log.info({ epoch }, 'this instance keeps the mirror live')
    leader = startLeader(deps, epoch, timing)
    const closed = new Promise<void>((resolve) => {
      closing.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    await Promise.race([leader.lost, closed])
    await leader.close()
    leader = undefined
    if (closing.signal.aborted) await ignoreOutage(giveUpLead(db, epoch))
    else log.warn({ epoch }, 'another instance keeps the mirror live now')
  }
  const run = async () => {
    while (!closing.signal.aborted) {
      const epoch = await ignoreOutage(takeLead(db, holder, db.engine === 'pglite'))
      if (epoch !== undefined) await lead(epoch)
      else {
        others = await ignoreOutage(leaderState(db))
        await sleep(timing.lookEveryMs, undefined, { signal: closing.signal }).catch(() => {})
      }
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
          vouched: leader.vouched(),
          pending: leader.pending(),
        }
      }
      const { state, problem } = others?.hasLeader ? others : { state: 'closed', problem: null }
      const known = { state: state as ChatGatewayStatus['state'], problem }
      return { isLeader: false, gateway: known, vouched: [], pending: 0 }
    },
    async close() {
      closing.abort()
      await running
    },
  }
}

async function ignoreOutage<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return undefined
    throw error
  }
}
