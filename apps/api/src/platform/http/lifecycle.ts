/**
 * What an HTTP server is told of the end of its process. The phases follow each other, and none comes back:
 *
 * - `serving`
 * - `leaving`: readiness says no, and every answer ends its connection. Connections are still accepted, and
 *   whoever sends by readiness has time to see it.
 * - `settling`: answers keep their connections again, and the listener closes. A connection that is being opened at
 *   that moment is reset, so callers that stay until then should have no reason to open one.
 * - `ending`: every answer ends its connection. The next one is refused, which any client or proxy may repeat
 *   elsewhere, because nothing was sent.
 */
export type Phase = 'serving' | 'leaving' | 'settling' | 'ending'

export interface Lifecycle {
  /** True from the first moment of stopping on: new work belongs elsewhere. */
  isClosing(): boolean
  /** True while every answer ends its connection. */
  endsConnections(): boolean
  /** Called once, at the first moment of stopping. */
  onClosing(listener: () => void): void
  enter(phase: Phase): void
}

export function createLifecycle(): Lifecycle {
  let phase: Phase = 'serving'
  const listeners: (() => void)[] = []
  return {
    isClosing: () => phase !== 'serving',
    endsConnections: () => phase === 'leaving' || phase === 'ending',
    onClosing: (listener) => void listeners.push(listener),
    enter(next) {
      phase = next
      for (const listener of listeners.splice(0)) listener()
    },
  }
}
