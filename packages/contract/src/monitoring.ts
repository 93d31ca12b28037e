import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, CountedPage, cursorOf, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'

const tag = 'Monitoring'

const UpOrDown = OneOf('up', 'down')
const LatencyMs = Nullable(
  Type.Number({ description: 'The duration of the last response in milliseconds; null if there was none.' }),
)

const Instance = Type.Object({
  id: Uuid,
  version: Type.String(),
  startedAt: DateTime,
  lastSeenAt: DateTime,
  isSelf: Type.Boolean({ description: 'True for the instance that returns this response.' }),
  leadsGateway: Type.Boolean({
    description: 'True for the leader, which has the gateway connection and keeps roles live.',
  }),
})

const Rest = Type.Object({
  remaining: Type.Integer({
    description: 'The number of requests that this instance can still send in this second without waiting.',
  }),
  perSecond: Type.Integer({
    description: 'The maximum number of requests per second, across all instances.',
  }),
  invalidRequests: Type.Integer({
    description:
      'Responses with 401, 403, or 429 to all instances in ten minutes. At 10,000, Discord bans the address.',
  }),
  breaker: Type.Array(Type.String(), {
    description: 'Kinds of requests that are paused because Discord would reject them. Usually empty.',
  }),
})

const ServerNotLive = Type.Object({
  serverId: Snowflake,
  serverName: Type.String(),
  reason: {
    ...OneOf('lost', 'unavailable', 'reading'),
    description:
      '`lost`: the bot has left the server. `unavailable`: Discord has an outage. `reading`: a read is ' +
      'running.',
  },
  since: DateTime,
})

/** The state of the service, Discord, the database, and the cache. Times are in ms, but `uptime` in seconds. */
export const SystemHealth = Type.Object({
  status: OneOf('ok', 'degraded'),
  api: Type.Object({
    version: Type.String(),
    uptime: Type.Number({ description: 'Seconds since the start of the process that responds.' }),
    instances: Type.Array(Instance, { description: 'Instances that ran in the last minute, oldest first.' }),
  }),
  chatPlatform: Type.Object({
    status: { ...OneOf('up', 'degraded', 'down'), description: '`degraded`: roles are not live.' },
    problem: Nullable(Type.String({ description: 'The problem and its fix, if known.' })),
    gateway: OneOf('off', 'closed', 'connecting', 'connected', 'refused'),
    latencyMs: LatencyMs,
    lastEventAt: Nullable({
      ...DateTime,
      description: 'The time of the last change that the gateway reported.',
    }),
    lagMs: Type.Optional({
      ...LatencyMs,
      description: 'Milliseconds that the oldest change has waited to be stored; null without a leader.',
    }),
    sessionsLeft: Type.Optional(
      Nullable(
        Type.Integer({
          description:
            'The number of gateway sessions that the service can still start until Discord resets the count. ' +
            'Discord resets the token of a bot that starts more.',
        }),
      ),
    ),
    notLive: Type.Optional(
      Type.Array(ServerNotLive, {
        description: 'The first 100 registered servers without live roles. Empty if the gateway is off.',
      }),
    ),
    rest: Rest,
  }),
  database: Type.Object({
    status: UpOrDown,
    problem: Nullable(Type.String({ description: 'The reason why it accepts no writes, and the fix.' })),
    latencyMs: LatencyMs,
    pool: Type.Object({
      max: Type.Integer(),
      total: Type.Integer({ description: 'The number of open connections.' }),
      idle: Type.Integer(),
      waiting: Type.Integer({ description: 'The number of requests that wait for a connection.' }),
    }),
  }),
  cache: Type.Object({ status: UpOrDown, latencyMs: LatencyMs }),
})

/** Returns the state of the service and its dependencies, as seen by the responding instance. */
export const systemHealth = endpoint({
  method: 'GET',
  path: '/api/admin/monitoring/health',
  tag,
  summary: 'Read the health of the service, Discord, the database, and the cache',
  auth: 'admin',
  answers: { 200: SystemHealth },
  refuses: [],
})

/** The time buckets of usage figures, with their lengths in seconds. */
export const usageBuckets = {
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '1h': 3_600,
  '6h': 21_600,
  '1d': 86_400,
} as const
/** The maximum number of points in a response, over all its series. */
export const maxUsagePoints = 500

const UsageQuery = Closed({
  from: Type.Optional({
    ...DateTime,
    description: 'Start of the period, inclusive; default: an hour before `to`, or a day with `bucket`.',
  }),
  to: Type.Optional({ ...DateTime, description: 'End of the period, inclusive; default: now.' }),
  projectId: Type.Optional(Uuid),
  route: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 20,
      description: 'Method and path template, as in `route` of a response. Matches any of them.',
    }),
  ),
  status: Type.Optional({
    ...OneOf('2xx', '3xx', '4xx', '5xx'),
    description: 'Counts only responses with this status.',
  }),
  bucket: Type.Optional({
    ...OneOf('1m', '5m', '15m', '1h', '6h', '1d'),
    description:
      'For charts: returns sums per bucket, in UTC, instead of rows. A response contains at most ' +
      `${maxUsagePoints} points, so a long period needs long buckets.`,
  }),
  groupBy: Type.Optional({
    ...OneOf('none', 'project', 'route', 'status'),
    default: 'none',
    description: 'With `bucket`: what each series is about.',
  }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5_000, default: 1_000 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999_999_999, default: 0 })),
})

/** The number of requests by one project to one endpoint within one minute, by the status of the response. */
export const UsageMinute = Type.Object({
  minute: DateTime,
  projectId: Nullable({ ...Uuid, description: 'Null for requests without a project.' }),
  route: Type.String({ description: 'Method and path template: `POST /api/auth/validate`.' }),
  status: Type.Integer(),
  count: Type.Integer(),
})

const UsageRows = Type.Object({
  data: Type.Array(UsageMinute),
  total: Type.Integer({ description: 'The number of rows in the period, counted up to 100,000.' }),
  limit: Type.Integer(),
  offset: Type.Integer(),
})

/** The requests of one project, route, or status over time. */
export const UsageLine = Type.Object({
  key: Nullable(
    Type.String({
      description:
        'ID of the project (`none` for requests without a project), route, or status; null for all others together.',
    }),
  ),
  name: Type.String({ description: 'Display name: the name of the project, the route, or the status.' }),
  count: Type.Integer({ description: 'The number of requests in the whole period.' }),
  points: Type.Array(Type.Object({ at: DateTime, count: Type.Integer() }), {
    description: 'The start of each bucket and its requests, in order. Empty buckets are omitted.',
  }),
})

/** The response if `bucket` is given: the busiest series first, and all others combined in one last series. */
export const UsageChart = Type.Object({
  bucket: OneOf('1m', '5m', '15m', '1h', '6h', '1d'),
  from: DateTime,
  to: DateTime,
  series: Type.Array(UsageLine),
})

/** Lists requests by minute, project, route, and status, for the last 30 days. */
export const usage = endpoint({
  method: 'GET',
  path: '/api/admin/monitoring/usage',
  tag,
  summary: 'List request counts by minute, newest first',
  description:
    'Returns the number of requests by minute, project, route, and status. They are kept for `usageDays` of ' +
    'the settings. With `bucket`, the response contains series for a chart. For sign-ins, use `route=POST ' +
    '/api/auth/token&status=2xx`, and for session checks `route=POST /api/auth/validate`.',
  auth: 'admin',
  query: UsageQuery,
  answers: {
    200: Type.Union([UsageRows, UsageChart]),
  },
  refuses: [],
})

const FailureKind = OneOf('api_key', 'session', 'refresh', 'code', 'signature', 'admin')

const AuthFailuresQuery = Closed({
  dateFrom: Type.Optional({
    ...DateTime,
    description: 'Start of the period, inclusive. A date without a time means its start in UTC.',
  }),
  dateTo: Type.Optional({
    ...DateTime,
    description: 'End of the period, inclusive. A date without a time includes that whole day in UTC.',
  }),
  kind: Type.Optional(FailureKind),
  reason: Type.Optional(Type.String({ maxLength: 64 })),
  address: Type.Optional(Type.String({ maxLength: 64, description: 'The exact IP address.' })),
  projectId: Type.Optional(Uuid),
  keyPrefix: Type.Optional(Type.String({ maxLength: 16, description: '`rck_` and eight characters.' })),
  memberId: Type.Optional({ ...Snowflake, description: 'The member who sent the request, if known.' }),
  cursor: Type.Optional(cursorOf('momentCursor', 60)),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999_999_999, default: 0 })),
})

/** A rejected credential or request. */
export const AuthFailure = Type.Object({
  id: Uuid,
  at: DateTime,
  kind: FailureKind,
  reason: Type.String({
    description:
      'The reason, such as `unknown`, `expired`, or `scope_required`. For a refused sign-in, it is ' +
      '`not_a_member`, `blocked`, `not_an_admin`, or `no_access`.',
  }),
  address: Nullable(Type.String()),
  path: Type.String({ description: 'Without the query. Values that look like credentials are masked.' }),
  projectId: Nullable(Uuid),
  keyPrefix: Nullable(Type.String()),
  memberId: Nullable({ ...Snowflake, description: 'The member, if known.' }),
  memberName: Nullable(Type.String({ description: 'The current name; null if the ID is unknown.' })),
  requestId: Nullable(Type.String()),
})

/** Lists the credentials that were rejected in the last 30 days. If there were very many, the list is a sample. */
export const authFailures = endpoint({
  method: 'GET',
  path: '/api/admin/monitoring/auth-failures',
  tag,
  summary:
    'List rejected keys, sessions, codes, and signatures, refused sign-ins, and denied access, newest first',
  description:
    'Returns every response with 401 or 403, replayed signatures, and refused sign-ins, including those that ' +
    'redirected back to the site. They are kept for `authFailuresDays` of the settings. During a flood, only ' +
    'a sample is stored, but the request counts and `/metrics` contain all of them.',
  auth: 'admin',
  query: AuthFailuresQuery,
  answers: { 200: CountedPage(AuthFailure, 'Failures') },
  refuses: [],
})

/** An API key that was replaced, but is still used. */
export const ReplacedKey = Type.Object({
  projectId: Uuid,
  projectName: Type.String(),
  keyId: Uuid,
  prefix: Type.String(),
  note: Nullable(Type.String()),
  replacedAt: DateTime,
  endsAt: Nullable(DateTime),
  usesSinceReplaced: Type.Integer(),
  lastUsedAt: Nullable(DateTime),
})

/** Lists the replaced API keys that are still valid and still used. */
export const replacedKeys = endpoint({
  method: 'GET',
  path: '/api/admin/monitoring/replaced-keys',
  tag,
  summary: 'List replaced keys that are still used, the first to expire at the top',
  description:
    'Returns keys that were replaced and are still valid. A key leaves the list when it expires, or when an ' +
    'hour has passed since it was replaced and since its last use.',
  auth: 'admin',
  answers: { 200: Type.Object({ data: Type.Array(ReplacedKey), total: Type.Integer() }) },
  refuses: [],
})

/** The numbers of members, sessions and projects at `asOf`. */
export const Stats = Type.Object({
  members: Type.Integer({ description: 'Members of at least one registered server.' }),
  activeMembers: Type.Integer({
    description: 'Members who signed in or refreshed a session within `memberActivityThresholdDays`.',
  }),
  memberActivityThresholdDays: Type.Integer(),
  sessions: Type.Integer({ description: 'Sessions that are neither expired nor revoked.' }),
  projects: Type.Integer(),
  activeProjects: Type.Integer(),
  asOf: { ...DateTime, description: 'The time of the count.' },
})

/** Returns the numbers of members, sessions, and projects. They are cached for up to `statsTtlMs`. */
export const stats = endpoint({
  method: 'GET',
  path: '/api/admin/monitoring/stats',
  tag,
  summary: 'Count members, sessions, and projects',
  description: 'The numbers are cached for the time in the setting `statsTtlMs`.',
  auth: 'admin',
  answers: { 200: Stats },
  refuses: [],
})

export type SystemHealth = Static<typeof SystemHealth>
export type UsageChart = Static<typeof UsageChart>
export type UsageQuery = Static<typeof UsageQuery>
export type AuthFailuresQuery = Static<typeof AuthFailuresQuery>
export type ReplacedKey = Static<typeof ReplacedKey>
export type Stats = Static<typeof Stats>
