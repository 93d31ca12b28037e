import { collectDefaultMetrics, Registry } from 'prom-client'

let registry: Registry | undefined

/**
 * Returns the metrics of this process since the first call: memory, CPU, garbage collection, and the delay of the event
 * loop. Several services in one process, as in tests, share them.
 */
export function processMetrics(): Registry {
  if (!registry) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
  }
  return registry
}
