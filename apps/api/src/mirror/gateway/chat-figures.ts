import type { Deps } from '../../deps.ts'
import type { ChatFigures } from './status.ts'

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
