/**
 * The phases of an HTTP server. A stop goes through them in this order:
 *
 * - `serving`: normal operation.
 * - `leaving`: readiness fails, and every response ends its connection. New connections are still accepted, so that
 *   load balancers have time to notice.
 * - `settling`: responses leave their connections open again while the listener closes. A connection that is being
 *   opened at this moment is reset, so clients should not need another one now.
 * - `ending`: every response ends its connection, and new connections are refused. A client or proxy can then safely
 *   retry elsewhere, because no request was sent.
 */
export type Phase = 'serving' | 'leaving' | 'settling' | 'ending'

/** The current phase of the server, for all parts that behave differently during a stop. */
export interface Lifecycle {
  /** Returns true once the stop has begun. Other instances should take over new work. */
  isClosing(): boolean
  /** Returns true while every response must end its connection. */
  endsConnections(): boolean
  /** Registers a listener that is called once, when the stop begins. */
  onClosing(listener: () => void): void
  enter(phase: Phase): void
}

/** Creates the lifecycle of a server that is `serving`. */
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
