import { collectDefaultMetrics, Registry } from 'prom-client'

let made: Registry | undefined

/**
 * Memory, processor, garbage collection and the delay of the event loop. There is one process, so there is one
 * of these, however many services a test runs in it; measured from the first call on.
 */
export function processMetrics(): Registry {
  if (!made) {
    made = new Registry()
    collectDefaultMetrics({ register: made })
  }
  return made
}
