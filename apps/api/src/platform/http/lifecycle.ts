/**
 * The phases of an HTTP server at the end of its process. They follow each other, and none returns:
 *
 * - `serving`
 * - `leaving`: readiness fails, and every response ends its connection. Connections are still accepted, and load
 *   balancers have time to notice it.
 * - `settling`: responses keep their connections again, and the listener closes. A connection that is being opened at
 *   that moment is reset, so callers that stay until then should have no reason to open one.
 * - `ending`: every response ends its connection. The next one is refused, which any client or proxy may repeat
 *   elsewhere, because nothing was sent.
 */
export type Phase = 'serving' | 'leaving' | 'settling' | 'ending'

export interface Lifecycle {
  /** Returns true from the first moment of stopping on: new work belongs elsewhere. */
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
