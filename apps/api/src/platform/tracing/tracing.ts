import type { FastifyInstance } from 'fastify'

export type Attributes = Readonly<Record<string, string | number | boolean>>

/** Records traces: what happened during a request, and how long it took. */
export interface Tracing {
  /** Runs work in a span of the current trace. Without a trace, as in background work, runs it without a span. */
  around<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>
  /** Gives every request a span. If the client sent a trace, the span belongs to it. */
  watch(app: FastifyInstance): void
  /** Sends the spans that were not sent yet. */
  close(): Promise<void>
}
