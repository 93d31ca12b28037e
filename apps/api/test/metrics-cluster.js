import cluster from 'node:cluster'
import { Counter, Gauge, Registry } from 'prom-client'
import { answerWorkersMetrics, workersMetrics } from '../dist/platform/metrics/cluster-metrics.js'
import { createRequestMetrics } from '../dist/platform/metrics/request-metrics.js'
import { registerRequestSeries } from '../dist/platform/metrics/request-series.js'

// Starts two workers, which each count something. The first one prints its response to a scrape.
if (cluster.isPrimary) {
  answerWorkersMetrics()
  const workers = [cluster.fork(), cluster.fork()]
  let ready = 0
  cluster.on('message', (_, message) => {
    if (message === 'ready' && ++ready === 2) workers[0]?.send('scrape')
    if (message === 'done') for (const worker of workers) worker.kill()
  })
} else {
  const registry = new Registry()
  const requests = createRequestMetrics()
  registerRequestSeries(registry, requests)
  requests.ended('GET /x', 200, requests.began())
  new Counter({ name: 'own_total', help: 'x', registers: [registry] }).inc(cluster.worker?.id)
  new Gauge({ name: 'same', help: 'x', aggregator: 'first', registers: [registry] }).set(7)
  const all = workersMetrics(registry)
  process.on('message', async (message) => {
    if (message !== 'scrape') return
    process.stdout.write(await all.metrics(), () => process.send?.('done'))
  })
  process.send?.('ready')
}
