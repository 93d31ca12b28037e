import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, cursorOf, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'

const tag = 'Monitoring'

const UpOrDown = OneOf('up', 'down')
const LatencyMs = Nullable(
  Type.Number({ description: 'Duration of the last response in milliseconds; null if there was none.' }),
)

const Instance = Type.Object({
  id: Uuid,
  version: Type.String(),
  startedAt: DateTime,
  lastSeenAt: DateTime,
  isSelf: Type.Boolean({ description: 'The instance that answers this request.' }),
  leadsGateway: Type.Boolean({
    description: 'The leader, which holds the gateway connection and keeps the mirror live.',
  }),
})

const Rest = Type.Object({
  remaining: Type.Integer({
    description: 'Requests that this instance can still send in this second without a wait.',
  }),
  perSecond: Type.Integer({
    description: 'The most requests per second across all instances.',
  }),
  invalidRequests: Type.Integer({
    description:
      'Responses 401, 403, and 429 to all instances in the last ten minutes. The platform bans an address at 10,000.',
  }),
  breaker: Type.Array(Type.String(), {
    description: 'Kinds of requests that are paused because the platform would reject them. Usually empty.',
  }),
})

const ServerNotLive = Type.Object({
  serverId: Snowflake,
  serverName: Type.String(),
  reason: {
    ...OneOf('lost', 'unavailable', 'reading'),
    description:
      '`lost`: the bot is no longer a member. `unavailable`: an outage of the platform. `reading`: the members are still being read.',
  },
  since: DateTime,
})

/**
 * The state of the service, Discord, the database, and the cache. Times are in milliseconds, but `uptime` in seconds.
 */
export const SystemHealth = Type.Object({
  status: OneOf('ok', 'degraded'),
  api: Type.Object({
    version: Type.String(),
    uptime: Type.Number({ description: 'Seconds since the answering process started.' }),
    instances: Type.Array(Instance, { description: 'Seen within the last minute, the oldest first.' }),
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
      description: 'Age of the oldest received change that is not written yet; null without a leader.',
    }),
    sessionsLeft: Type.Optional(
      Nullable(
        Type.Integer({
          description:
            'New gateway sessions that the platform allows until it resets its count. It resets the token of a bot that starts more.',
        }),
      ),
    ),
    notLive: Type.Optional(
      Type.Array(ServerNotLive, {
        description: 'The first 100 registered servers without live roles. Empty while the gateway is off.',
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
      total: Type.Integer({ description: 'Open connections.' }),
      idle: Type.Integer(),
      waiting: Type.Integer({ description: 'Requests that wait for a connection.' }),
    }),
  }),
  cache: Type.Object({ status: UpOrDown, latencyMs: LatencyMs }),
})

/** Returns the state of the service and its dependencies, as seen by the responding instance. */
export const systemHealth = endpoint({
  method: 'GET',
  path: '/api/admin/monitoring/health',
  tag,
  summary: 'Read the health of service, chat platform, database, and cache',
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
    description: 'Only responses with this status.',
  }),
  bucket: Type.Optional({
    ...OneOf('1m', '5m', '15m', '1h', '6h', '1d'),
    description: `Returns sums per bucket in UTC instead of rows, for charts. At most ${maxUsagePoints} points are returned, so a long period requires long buckets.`,
  }),
  groupBy: Type.Optional({
    ...OneOf('none', 'project', 'route', 'status'),
    default: 'none',
    description: 'With `bucket`: the grouping of the series.',
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
  total: Type.Integer({ description: 'Rows of the period, counted up to 100,000.' }),
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
  count: Type.Integer({ description: 'Requests in the whole period.' }),
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
    'Kept for 30 days. Counts appear within a second. With `bucket`, the response contains series for a chart: sign-ins ' +
    'by code are `route=POST /api/auth/token&status=2xx`, validations `route=POST /api/auth/validate`.',
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
  address: Type.Optional(Type.String({ maxLength: 64, description: 'The exact address.' })),
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
      'A word of a closed list, such as `unknown`, `expired`, or `scope_required`. For a refused sign-in: `not_a_member`, ' +
      '`blocked`, `not_an_admin`, or `no_access`.',
  }),
  address: Nullable(Type.String()),
  path: Type.String({ description: 'Without the query. Values that look like credentials are masked.' }),
  projectId: Nullable(Uuid),
  keyPrefix: Nullable(Type.String()),
  memberId: Nullable({ ...Snowflake, description: 'The member, if known.' }),
  memberName: Nullable(Type.String({ description: 'Their current name; null if that ID is unknown.' })),
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
    'Every 401 and 403, replayed signatures, and refused sign-ins, including those that ended with a redirect to the ' +
    'site. Kept for 30 days. During a flood, only a sample is stored. The usage counts and /metrics contain all of them.',
  auth: 'admin',
  query: AuthFailuresQuery,
  answers: {
    200: Type.Object({
      data: Type.Array(AuthFailure),
      total: Nullable(
        Type.Integer({ description: 'Failures that match the filters. Not counted with a `cursor`.' }),
      ),
      limit: Type.Integer(),
      offset: Type.Integer(),
      nextCursor: Nullable(Type.String({ description: 'Null on the last page.' })),
    }),
  },
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
    'A key is listed until it expires, or until it was unused for an hour and was replaced more than an hour ago.',
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
  asOf: { ...DateTime, description: 'Counted again when older than the setting `statsTtlMs`.' },
})

/** Returns the numbers of members, sessions, and projects. They are cached for up to `statsTtlMs`. */
export const stats = endpoint({
  method: 'GET',
  path: '/api/admin/monitoring/stats',
  tag,
  summary: 'Count members, sessions, and projects',
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
