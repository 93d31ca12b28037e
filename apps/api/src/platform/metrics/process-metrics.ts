import { collectDefaultMetrics, Registry } from 'prom-client'

let made: Registry | undefined

/**
 * Measures memory, processor, garbage collection, and the delay of the event loop, from the first call on. There is
 * one instance for each process, for any number of services that a test runs in it.
 */
export function processMetrics(): Registry {
  if (!made) {
    made = new Registry()
    collectDefaultMetrics({ register: made })
  }
  return made
}
