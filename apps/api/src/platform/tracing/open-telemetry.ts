import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { FastifyRequest } from 'fastify'
import { within } from '#platform/async'
import type { Tracing } from './tracing.ts'

/** The longest wait for the collector when the service stops. */
const maxCloseMs = 2_000

/**
 * Starts tracing with OpenTelemetry, and sends the traces as OTLP over HTTP. This file is imported only if an endpoint
 * is configured. Spans contain no input of clients: only route templates, and statements without their values.
 */
export function startTracing({ endpoint, version }: { endpoint: string; version: string }): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'rolecall', 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('rolecall', version)
  const contexts = new AsyncLocalStorageContextManager().enable()
  const spans = new WeakMap<FastifyRequest, Span>()

  return {
    async around(name, attributes, work) {
      const parent = contexts.active()
      if (!trace.getSpan(parent)) return work()
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent)
      try {
        return await contexts.with(trace.setSpan(parent, span), work)
      } catch (error) {
        // Records only the name of the error. Messages of libraries may quote input.
        span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' })
        throw error
      } finally {
        span.end()
      }
    },
    watch(app) {
      app.addHook('onRequest', (request, _reply, done) => {
        const attributes = { 'http.request.method': request.method, 'rolecall.request_id': request.id }
        const parent = parentOf(request.headers['traceparent'])
        const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER, attributes }, parent)
        spans.set(request, span)
        // Sets the context for handlers that read the body themselves.
        contexts.with(trace.setSpan(ROOT_CONTEXT, span), done)
      })
      // Sets the context again after the framework has read the body, because reading it has changed the context.
      app.addHook('preHandler', (request, _reply, done) => {
        const span = spans.get(request)
        if (span) contexts.with(trace.setSpan(ROOT_CONTEXT, span), done)
        else done()
      })
      app.addHook('onResponse', (request, reply, done) => {
        const span = spans.get(request)
        const route = request.routeOptions.url ?? 'unmatched'
        span?.updateName(`${request.method} ${route}`)
        span?.setAttributes({ 'http.route': route, 'http.response.status_code': reply.raw.statusCode })
        if (reply.raw.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
        span?.end()
        done()
      })
    },
    close: () => within(provider.shutdown(), maxCloseMs, undefined),
  }
}

/**
 * Returns a context with the span of the client (W3C Trace Context). If the header is missing or invalid, the context
 * has no span.
 */
function parentOf(header: string | string[] | undefined): Context {
  const [, traceId = '', spanId = '', flags = '0'] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(String(header)) ?? []
  const parent = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
  }
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
}
