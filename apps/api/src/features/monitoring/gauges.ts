import { Gauge, type Registry } from 'prom-client'
import { singleFlight, within } from '#platform/async'
import { databaseState, isCacheUp, partDeadlineMs } from '#platform/part-state'
import { version } from '#platform/version'
import type { Deps } from '../../deps.ts'
import { readQueues } from './queues-store.ts'

type GaugeDeps = Pick<Deps, 'db' | 'cache' | 'chatFigures' | 'liveMirror'>
type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>]

/** The definition of a gauge. */
interface GaugeRow {
  readonly name: string
  readonly help: string
  /**
   * The method by which the values of several worker processes are combined. With `first`, all workers have the same
   * value.
   */
  readonly over: 'sum' | 'max' | 'first'
  readonly label?: string
  /** Reads the current samples. Without samples, the gauge is absent. */
  readonly read: (deps: GaugeDeps) => readonly Sample[] | Promise<readonly Sample[]>
}

const gatewayStates = ['off', 'closed', 'connecting', 'connected', 'refused'] as const
const reasons = ['lost', 'unavailable', 'reading'] as const
const yes = (is: boolean) => (is ? 1 : 0)

/** The gauges that are read from the dependencies at each scrape. `metrics.ts` has the other series. */
const gauges: readonly GaugeRow[] = [
  {
    name: 'rolecall_build_info',
    help: 'Always 1. The label contains the running version.',
    over: 'max',
    label: 'version',
    read: () => [[1, { version }]],
  },
  {
    name: 'rolecall_database_up',
    help: '1 if the database responds to a trivial statement.',
    over: 'first',
    read: async ({ db }) => [[yes((await databaseState(db)) !== 'down')]],
  },
  {
    name: 'rolecall_database_read_only',
    help: '1 if the database responds but accepts no writes.',
    over: 'first',
    read: async ({ db }) => [[yes((await databaseState(db)) === 'read-only')]],
  },
  {
    name: 'rolecall_database_full',
    help: '1 if a write of the last 10 s failed because the disk of the database is full.',
    over: 'first',
    read: async ({ db }) => [[yes((await databaseState(db)) === 'full')]],
  },
  {
    name: 'rolecall_database_pool_connections',
    help: 'Connections of the request pool by state: maximum, open, idle.',
    over: 'sum',
    label: 'state',
    read: ({ db }) => {
      const { max, total, idle } = db.pool()
      return [
        [max, { state: 'max' }],
        [total, { state: 'open' }],
        [idle, { state: 'idle' }],
      ]
    },
  },
  {
    name: 'rolecall_database_pool_waiting',
    help: 'Requests that wait for a connection of the pool.',
    over: 'sum',
    read: ({ db }) => [[db.pool().waiting]],
  },
  {
    name: 'rolecall_cache_up',
    help: '1 if the cache responds. Without it, replay protection and the rate limit pause.',
    over: 'first',
    read: async ({ cache }) => [[yes(await isCacheUp(cache))]],
  },
  {
    name: 'rolecall_gateway_state',
    help: 'The gateway connection of the leader: 1 for its current state.',
    over: 'max',
    label: 'state',
    read: ({ chatFigures }) => {
      const current = chatFigures().gateway
      return gatewayStates.map((state) => [yes(state === current), { state }])
    },
  },
  {
    name: 'rolecall_gateway_leader',
    help: '1 on the leader, which holds the gateway connection.',
    over: 'sum',
    read: ({ chatFigures }) => [[yes(chatFigures().isLeader)]],
  },
  {
    name: 'rolecall_gateway_pending_events',
    help: 'Gateway events that are not written to the mirror yet.',
    over: 'sum',
    read: ({ chatFigures }) => [[chatFigures().pending]],
  },
  {
    name: 'rolecall_gateway_lag_seconds',
    help: 'Age of the oldest received event that is not written yet. Absent without a leader.',
    over: 'max',
    read: ({ chatFigures }) => {
      const { lagMs } = chatFigures()
      return lagMs === null ? [] : [[lagMs / 1_000]]
    },
  },
  {
    name: 'rolecall_gateway_sessions_left',
    help: 'New gateway sessions that Discord allows until it resets its count. Absent while unknown.',
    over: 'max',
    read: ({ chatFigures }) => {
      const { sessionsLeft } = chatFigures()
      return sessionsLeft === null ? [] : [[sessionsLeft]]
    },
  },
  {
    name: 'rolecall_gateway_servers_not_live',
    help: 'Registered servers without live roles, by reason. Absent while the gateway is off.',
    over: 'max',
    label: 'reason',
    read: async ({ chatFigures, liveMirror }) => {
      if (chatFigures().gateway === 'off') return []
      const notLive = await liveMirror.listNotLiveServers()
      return reasons.map((reason) => [
        notLive.filter((server) => server.reason === reason).length,
        { reason },
      ])
    },
  },
  {
    name: 'rolecall_gateway_last_event_timestamp_seconds',
    help: 'Time of the last change that the gateway reported, as a UNIX time. Absent if there was none.',
    over: 'max',
    read: ({ chatFigures }) => {
      const { lastEventAt } = chatFigures()
      return lastEventAt === null ? [] : [[Date.parse(lastEventAt) / 1_000]]
    },
  },
  {
    name: 'rolecall_gateway_latency_seconds',
    help: 'Time between a gateway heartbeat and its acknowledgment. Absent while disconnected.',
    over: 'max',
    read: ({ chatFigures }) => {
      const { gateway, latencyMs } = chatFigures()
      return gateway !== 'connected' || latencyMs === null ? [] : [[latencyMs / 1_000]]
    },
  },
  {
    name: 'rolecall_platform_rest_remaining',
    help: 'Requests that this instance can still send to Discord in this second without a wait.',
    over: 'sum',
    read: ({ chatFigures }) => [[chatFigures().rest.remaining]],
  },
  {
    name: 'rolecall_platform_invalid_requests',
    help: 'Responses with 401, 403, or 429 from Discord in ten minutes, for all instances that share the cache.',
    over: 'max',
    read: ({ chatFigures }) => [[chatFigures().rest.refusedTogether]],
  },
  {
    name: 'rolecall_platform_breakers_open',
    help: 'Kinds of requests that are paused because Discord would reject them.',
    over: 'max',
    read: ({ chatFigures }) => [[chatFigures().rest.open.length]],
  },
]

/** Registers the gauges, including those of the queues. */
export function registerGauges(registry: Registry, deps: GaugeDeps): void {
  for (const { name, help, over, label, read } of gauges) {
    new Gauge({
      name,
      help,
      aggregator: over,
      labelNames: label ? [label] : [],
      registers: [registry],
      async collect() {
        const samples = await read(deps)
        this.reset()
        // `reset` sets a gauge without labels to 0. It must be absent instead, because its value is unknown.
        if (samples.length === 0 && !label) this.remove()
        for (const [value, labels] of samples) this.set(labels ?? {}, value)
      },
    })
  }
  registerQueues(registry, deps)
}

function registerQueues(registry: Registry, { db }: GaugeDeps) {
  // One read serves both gauges. If the database does not respond in time, they have no samples, and the scrape gets
  // its response anyway.
  const read = singleFlight(() => within(readQueues(db), partDeadlineMs, new Map()))
  const register = (name: string, help: string, of: 'rows' | 'oldestSeconds') =>
    new Gauge({
      name,
      help,
      aggregator: 'max',
      labelNames: ['queue'],
      registers: [registry],
      async collect() {
        this.reset()
        for (const [queue, state] of await read()) this.set({ queue }, state[of])
      },
    })
  register('rolecall_queue_rows', 'Rows that wait in the database, by queue. Counted up to 100,000.', 'rows')
  register('rolecall_queue_oldest_seconds', 'Age of the oldest waiting row, by queue.', 'oldestSeconds')
}
