import type { ChatBudget } from '#chat/chat-platform'
import type { Deps } from '../../deps.ts'
import type { LiveMirrorStatus } from './status.ts'

/** How the chat platform is doing, for whoever watches the service. */
export interface ChatFigures {
  /**
   * - `up`: roles are live, or are read when they are due where the gateway is off.
   * - `degraded`: roles are as old as the last reading, or something is not asked for now.
   * - `down`: the platform is not asked at all for now.
   */
  readonly status: 'up' | 'degraded' | 'down'
  /** Of whichever instance holds the connection. */
  readonly gateway: LiveMirrorStatus['gateway']['state']
  /** What is wrong with the gateway and how to mend it, in one sentence. */
  readonly problem: string | null
  readonly shards: number
  /** Whether this instance holds the connection; changes that it has heard of and not written yet. */
  readonly isLeader: boolean
  readonly pending: number
  /** Of the gateway's heartbeat, or else of the last request. */
  readonly latencyMs: number | null
  readonly lastEventAt: string | null
  /** Of this instance, as far as it does not say otherwise. */
  readonly rest: ChatBudget
}

/** Asks nobody: what this instance knows now. */
export function chatFigures({ chat, liveMirror }: Pick<Deps, 'chat' | 'liveMirror'>): ChatFigures {
  const { gateway, lastEventAt, isLeader, pending } = liveMirror.status()
  const rest = chat.budget()
  const isStopped = rest.open.some(({ name }) => name === 'token' || name === 'total')
  const isLive = gateway.state === 'off' || gateway.state === 'connected'
  return {
    status: isStopped ? 'down' : isLive && rest.open.length === 0 ? 'up' : 'degraded',
    gateway: gateway.state,
    problem: gateway.problem,
    shards: gateway.shards,
    isLeader,
    pending,
    latencyMs: gateway.latencyMs ?? rest.latencyMs,
    lastEventAt: lastEventAt?.toISOString() ?? null,
    rest,
  }
}
