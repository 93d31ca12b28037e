import type { ChatPlatform } from '#chat/chat-platform'
import type { ChatFigures, LiveMirror } from './status.ts'

/** Returns the state of Discord as this instance knows it, without a request to Discord. */
export function chatFigures({
  chat,
  liveMirror,
}: {
  readonly chat: ChatPlatform
  readonly liveMirror: LiveMirror
}): ChatFigures {
  const { gateway, lastEventAt, isLeader, pending, lagMs } = liveMirror.status()
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
    lagMs,
    sessionsLeft: gateway.sessionsLeft,
    latencyMs: gateway.latencyMs ?? rest.latencyMs,
    lastEventAt: lastEventAt?.toISOString() ?? null,
    rest,
  }
}
