import type { FastifyInstance } from 'fastify'

export type Attributes = Readonly<Record<string, string | number | boolean>>

/** Records traces: the parts of a request, and the duration of each part. */
export interface Tracing {
  /** Runs the work in a span of the current trace. Background work has no trace, and runs without a span. */
  around<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>
  /** Gives each request a span, which continues the caller's trace. */
  watch(app: FastifyInstance): void
  /** Sends the unsent spans. */
  close(): Promise<void>
}
