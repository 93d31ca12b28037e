/**
 * The phases of an HTTP server at the end of its process, in this order:
 *
 * - `serving`
 * - `leaving`: readiness fails, and every response ends its connection. Connections are still accepted, so that load
 *   balancers have time to detect the change.
 * - `settling`: responses keep their connections again, and the listener closes. A connection that is being opened at
 *   that moment is reset. Callers that are still connected should therefore not need to open another connection.
 * - `ending`: every response ends its connection. New connections are refused. Any client or proxy may then retry
 *   elsewhere, because no request was sent.
 */
export type Phase = 'serving' | 'leaving' | 'settling' | 'ending'

export interface Lifecycle {
  /** Returns true once the server is stopping. Other instances should then receive new work. */
  isClosing(): boolean
  /** Returns true while every response ends its connection. */
  endsConnections(): boolean
  /** Registers a listener that is called once, at the first moment of stopping. */
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
