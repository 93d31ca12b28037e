import cluster, { type Worker } from 'node:cluster'
import { randomUUID } from 'node:crypto'
import { AggregatorRegistry, type Registry } from 'prom-client'
import { singleFlight, within } from '#platform/async'

/** Longest wait of a scrape for the primary process. */
const scrapeMs = 3_000
/**
 * The longest time that the primary process waits for one worker, so that a hanging worker does not delay the others.
 */
const workerMs = 2_000

type Metrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/**
 * A message between processes. A scraped worker sends `scrape` and receives `all`. The primary sends `count` to each
 * worker and receives `counted`.
 */
type Message = { readonly type: 'rolecall:metrics'; readonly id: string } & (
  | { readonly step: 'scrape' | 'count' }
  | { readonly step: 'all'; readonly text: string }
  | { readonly step: 'counted'; readonly metrics: Metrics }
)

const isMessage = (message: unknown): message is Message =>
  (message as Message | null)?.type === 'rolecall:metrics'

/**
 * Responds, in the primary process, to each scraped worker with the sums of all workers. For a worker that ended or
 * hangs, uses its counts of the last scrape, because falling counters would look like a restart of the service.
 */
export function answerWorkersMetrics(): void {
  const last = new Map<number, Metrics>()
  let ended: Metrics[] = []
  const waiting = new Map<string, (metrics: Metrics) => void>()

  async function ask(worker: Worker): Promise<void> {
    const id = randomUUID()
    const counted = new Promise<Metrics>((resolve) => {
      waiting.set(id, resolve)
    })
    if (worker.isConnected()) worker.send({ type: 'rolecall:metrics', id, step: 'count' } satisfies Message)
    const metrics = await within<Metrics | undefined>(counted, workerMs, undefined)
    waiting.delete(id)
    // The worker may have ended after its response.
    if (metrics && !worker.isDead()) last.set(worker.id, metrics)
    else if (!metrics) last.set(worker.id, onlyCounts(last.get(worker.id) ?? []))
  }

  const all = singleFlight(async (): Promise<string> => {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    await Promise.all(workers.map(ask))
    const parts = ended
    const before = await AggregatorRegistry.aggregate(parts).getMetricsAsJSON()
    ended = [before, ...ended.slice(parts.length)]
    return AggregatorRegistry.aggregate([...ended, ...last.values()]).metrics()
  })

  cluster.on('message', async (worker: Worker, message: unknown) => {
    if (!isMessage(message)) return
    const { type, id } = message
    if (message.step === 'counted') waiting.get(id)?.(message.metrics)
    if (message.step !== 'scrape') return
    const text = await all().catch(() => undefined)
    if (text !== undefined && worker.isConnected())
      worker.send({ type, id, step: 'all', text } satisfies Message)
  })
  cluster.on('exit', ({ id }: Worker) => {
    ended = [...ended, onlyCounts(last.get(id) ?? [])]
    last.delete(id)
  })
}

/** Removes all metrics except counts, because a process that does not respond has no current values. */
const onlyCounts = (metrics: Metrics): Metrics =>
  // The library declares a number although the value is a word.
  metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))

/**
 * Returns, in a worker, the metrics of all workers, because a scrape reaches any one of them. If the primary does not
 * respond, returns only its own.
 */
export function workersMetrics(own: Registry): Pick<Registry, 'metrics' | 'contentType'> {
  process.on('message', async (message) => {
    if (!isMessage(message) || message.step !== 'count') return
    const metrics = await own.getMetricsAsJSON()
    const { type, id } = message
    if (process.connected) process.send?.({ type, id, step: 'counted', metrics } satisfies Message)
  })
  return {
    contentType: own.contentType,
    metrics: async () => (await within(askPrimary(), scrapeMs, undefined)) ?? own.metrics(),
  }
}

function askPrimary(): Promise<string> {
  const id = randomUUID()
  return new Promise((resolve) => {
    const listen = (message: unknown) => {
      if (isMessage(message) && message.id === id && message.step === 'all') finish(message.text)
    }
    const timer = setTimeout(() => process.off('message', listen), scrapeMs)
    const finish = (text: string) => {
      clearTimeout(timer)
      process.off('message', listen)
      resolve(text)
    }
    process.on('message', listen)
    process.send?.({ type: 'rolecall:metrics', id, step: 'scrape' } satisfies Message)
  })
}
