import { Counter, Gauge, Registry } from 'prom-client'
import { processMetrics } from '#platform/metrics/process-metrics'
import type { RequestMetrics } from '#platform/metrics/request-metrics'
import { registerRequestSeries } from '#platform/metrics/request-series'
import type { Tally } from '#platform/metrics/tally'
import type { Deps } from '../../deps.ts'
import { registerGauges } from './gauges.ts'
import type { Recorder } from './recorder.ts'
import type { FailureKind } from './store.ts'

type MetricsDeps = Pick<Deps, 'db' | 'cache' | 'platformWatch' | 'chatFigures' | 'liveMirror'>

/** The counts of OpenID Connect, forward authentication, and deliveries. */
export interface RelyingPartyCounts {
  /** Responses of OpenID Connect, by endpoint and outcome: `ok`, `login`, or the error code of the protocol. */
  readonly oidc: Tally
  /** Responses to reverse proxies about visitors, by protected host and outcome. */
  readonly hosts: Tally
  /** Attempts to deliver a message, by kind and outcome. */
  readonly deliveries: Tally
}

/** The metrics of this process. */
export interface Metrics {
  /** Counts a rejected credential. */
  readonly countFailure: (kind: FailureKind) => void
  /** All metrics in the Prometheus format. */
  readonly registry: Registry
}

/**
 * Creates all metrics of this process. The values of labels come from fixed lists in the source, and are never IDs or
 * addresses, so that the number of series stays small. The only exception is the protected host, because an operator
 * has to know which host a count belongs to.
 */
export function createMetrics(
  deps: MetricsDeps,
  recorder: Recorder,
  requests: RequestMetrics,
  counts: RelyingPartyCounts,
): Metrics {
  const own = new Registry()
  registerRequestSeries(own, requests)
  new Gauge({
    name: 'rolecall_http_requests_in_flight',
    help: 'Requests in progress.',
    registers: [own],
    collect() {
      this.set(requests.inFlight())
    },
  })
  const failures = new Counter({
    name: 'rolecall_auth_failures_total',
    help: 'Rejected credentials by kind. Includes those that are not recorded because only a sample is stored.',
    labelNames: ['kind'],
    registers: [own],
  })
  registerRecorder(own, recorder)
  registerPlatform(own, deps)
  registerRelyingParties(own, counts)
  registerGauges(own, deps)
  return {
    countFailure: (kind) => failures.inc({ kind }),
    registry: Registry.merge([own, processMetrics()]),
  }
}

function registerRecorder(registry: Registry, recorder: Recorder) {
  new Gauge({
    name: 'rolecall_recorder_unwritten_rows',
    help: 'Usage counts and rejected credentials that are not written to the database yet.',
    registers: [registry],
    collect() {
      this.set(recorder.state().unwritten)
    },
  })
  new Counter({
    name: 'rolecall_recorder_dropped_total',
    help: 'Requests (usage) and rejected credentials (failures) that were dropped.',
    labelNames: ['of'],
    registers: [registry],
    collect() {
      const { droppedUsage, droppedFailures } = recorder.state()
      // The recorder counts since the start, so each scrape replaces the previous totals. This applies to all counters
      // below that begin with a reset.
      this.reset()
      this.inc({ of: 'usage' }, droppedUsage)
      this.inc({ of: 'failures' }, droppedFailures)
    },
  })
}

function registerPlatform(registry: Registry, { platformWatch, liveMirror }: MetricsDeps) {
  const labelNames = ['operation', 'outcome'] as const
  new Counter({
    name: 'rolecall_platform_requests_total',
    help: 'Requests to Discord by kind and outcome.',
    labelNames,
    registers: [registry],
    collect() {
      this.reset()
      for (const { operation, outcome, count } of platformWatch.requestCounts())
        this.inc({ operation, outcome }, count)
    },
  })
  new Counter({
    name: 'rolecall_platform_request_seconds_total',
    help: 'Time spent waiting for Discord. Divide it by the number of requests for the mean.',
    labelNames,
    registers: [registry],
    collect() {
      this.reset()
      for (const { operation, outcome, seconds } of platformWatch.requestCounts())
        this.inc({ operation, outcome }, seconds)
    },
  })
  new Counter({
    name: 'rolecall_mirror_samples_total',
    help: 'Members that were compared with Discord. wrong: the gateway missed a change.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      const { compared, wrong } = liveMirror.status().samples
      this.reset()
      this.inc({ outcome: 'right' }, compared - wrong)
      this.inc({ outcome: 'wrong' }, wrong)
    },
  })
  new Counter({
    name: 'rolecall_gateway_events_total',
    help: 'Changes that the gateway reported to this instance.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(platformWatch.countEvents())
    },
  })
}

function registerRelyingParties(registry: Registry, { oidc, hosts, deliveries }: RelyingPartyCounts) {
  const register = (
    name: string,
    help: string,
    [first, second]: readonly [string, string?],
    tally: Pick<Tally, 'counts'>,
  ) =>
    new Counter({
      name,
      help,
      labelNames: second ? [first, second] : [first],
      registers: [registry],
      collect() {
        this.reset()
        for (const { of, outcome, count } of tally.counts())
          this.inc({ [first]: of, ...(second && { [second]: outcome }) }, count)
      },
    })
  register(
    'rolecall_oidc_answers_total',
    'Responses of OpenID Connect by endpoint and outcome: ok, login (the member has to sign in first), or the error code of the protocol.',
    ['endpoint', 'outcome'],
    oidc,
  )
  register(
    'rolecall_forward_auth_answers_total',
    'Responses to reverse proxies about visitors, by protected host and outcome. Host "none": rejected before the host was known.',
    ['host', 'outcome'],
    hosts,
  )
  register(
    'rolecall_oidc_logouts_total',
    'Attempts to notify clients of ended sessions: delivered, refused (retried), given_up (after a day).',
    ['outcome'],
    { counts: () => logoutsOf(deliveries) },
  )
}

/** Selects the attempts to deliver logout tokens. Their series has one label, the outcome, so it moves to `of`. */
const logoutsOf = (deliveries: Tally) =>
  deliveries
    .counts()
    .flatMap(({ of, outcome, count }) => (of === 'logout' ? [{ of: outcome, outcome: '', count }] : []))
