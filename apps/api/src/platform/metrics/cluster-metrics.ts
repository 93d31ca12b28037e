import cluster, { type Worker } from 'node:cluster'
import { randomUUID } from 'node:crypto'
import { AggregatorRegistry, type Registry } from 'prom-client'
import { within } from '#platform/async'

/** The library itself gives the workers five seconds. */
const deadlineMs = 3_000

interface Message {
  readonly type: 'rolecall:metrics'
  readonly id: string
  /** Only in the answer. */
  readonly text?: string
}

const isMessage = (message: unknown): message is Message =>
  (message as Message | null)?.type === 'rolecall:metrics'

/** In the primary process: answers each worker that asks with what all workers together have counted. */
export function answerWorkersMetrics(): void {
  const all = new AggregatorRegistry()
  cluster.on('message', async (worker: Worker, message: unknown) => {
    if (!isMessage(message)) return
    const text = await all.clusterMetrics().catch(() => undefined)
    if (text !== undefined && worker.isConnected()) worker.send({ ...message, text })
  })
}

/**
 * In a worker: the metrics of all workers, since a scrape reaches any one of them. Its own alone when the primary
 * does not answer.
 */
export function workersMetrics(own: Registry): Pick<Registry, 'metrics' | 'contentType'> {
  AggregatorRegistry.setRegistries([own])
  // Listens for the primary's question, which this worker is asked like the others.
  new AggregatorRegistry()
  return {
    contentType: own.contentType,
    metrics: async () => (await within(askPrimary(), deadlineMs, undefined)) ?? own.metrics(),
  }
}

function askPrimary(): Promise<string | undefined> {
  const id = randomUUID()
  return new Promise((resolve) => {
    const listen = (message: unknown) => {
      if (isMessage(message) && message.id === id) finish(message.text)
    }
    const timer = setTimeout(() => finish(undefined), deadlineMs)
    const finish = (text: string | undefined) => {
      clearTimeout(timer)
      process.off('message', listen)
      resolve(text)
    }
    process.on('message', listen)
    process.send?.({ type: 'rolecall:metrics', id } satisfies Message)
  })
}
