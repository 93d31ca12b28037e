import cluster, { type Worker } from 'node:cluster'
import { randomUUID } from 'node:crypto'
import { AggregatorRegistry, type Registry } from 'prom-client'
import { singleFlight, within } from '#platform/async'

/** The longest time that a scrape waits for the primary process. */
const scrapeMs = 3_000
/** The longest time that the primary waits for one worker, so that a worker that hangs does not delay the others. */
const workerMs = 2_000

type Metrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/**
 * A message between the processes. The worker that is scraped sends `scrape` to the primary, and receives `all`. The
 * primary sends `count` to every worker, and receives `counted`.
 */
type Message = { readonly type: 'rolecall:metrics'; readonly id: string } & (
  | { readonly step: 'scrape' | 'count' }
  | { readonly step: 'all'; readonly text: string }
  | { readonly step: 'counted'; readonly metrics: Metrics }
)

const isMessage = (message: unknown): message is Message =>
  (message as Message | null)?.type === 'rolecall:metrics'

/**
 * In the primary process: answers each scrape with the sums over all workers. For a worker that has ended or hangs,
 * uses its counts from the last scrape: a sum that falls would look like a restart of the service.
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
    // A worker that ended after its response is already counted among the ended ones.
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

/** Keeps only counts. All other metrics are current values, which a process that does not respond does not have. */
const onlyCounts = (metrics: Metrics): Metrics =>
  // The type declares a number, but the value is a word.
  metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))

/**
 * In a worker: returns the metrics of all workers, because a scrape reaches only one of them. If the primary does not
 * respond, returns the metrics of this worker.
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
