import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'
import { patterns } from './patterns.ts'

const tag = 'Monitoring'

const UpOrDown = OneOf('up', 'down')
const LatencyMs = Nullable(
  Type.Number({ description: 'Milliseconds of the last answer; null when there was none.' }),
)

const Instance = Type.Object({
  id: Uuid,
  version: Type.String(),
  startedAt: DateTime,
  lastSeenAt: DateTime,
  isSelf: Type.Boolean({ description: 'It is the one that answers this request.' }),
  leadsGateway: Type.Boolean({ description: 'It holds the gateway connection and keeps the mirror live.' }),
})

const Rest = Type.Object({
  remaining: Type.Integer({
    description: 'Requests that this instance may send in this second before they wait for the next.',
  }),
  perSecond: Type.Integer({
    description: 'Requests that all instances together send in one second at most.',
  }),
  invalidRequests: Type.Integer({
    description:
      'Answers 401, 403 and 429 to all instances in the last ten minutes. The platform bans an address at 10,000.',
  }),
  breaker: Type.Array(Type.String(), {
    description: 'Requests that are paused, because they would be refused; empty if all is well.',
  }),
})

const ServerNotLive = Type.Object({
  serverId: Snowflake,
  serverName: Type.String(),
  reason: {
    ...OneOf('lost', 'unavailable', 'reading'),
    description:
      '`lost`: the bot is not in it any more. `unavailable`: an outage of the platform. `reading`: not all of it is read yet.',
  },
  since: DateTime,
})

/** The state of service, chat platform, database and cache. Times are in milliseconds, `uptime` in seconds. */
export const SystemHealth = Type.Object({
  status: OneOf('ok', 'degraded'),
  api: Type.Object({
    version: Type.String(),
    uptime: Type.Number({ description: 'Seconds since the answering process started.' }),
    instances: Type.Array(Instance, { description: 'Seen within the last minute, the oldest first.' }),
  }),
  chatPlatform: Type.Object({
    status: { ...OneOf('up', 'degraded', 'down'), description: '`degraded`: roles are not followed live.' },
    problem: Nullable(Type.String({ description: 'The problem and its remedy, if known.' })),
    gateway: OneOf('off', 'closed', 'connecting', 'connected', 'refused'),
    latencyMs: LatencyMs,
    lastEventAt: Nullable({
      ...DateTime,
      description: 'The time of the last change that the gateway reported.',
    }),
    lagMs: Type.Optional({
      ...LatencyMs,
      description:
        'How long the oldest change has waited that is received and not written; null without a leader.',
    }),
    sessionsLeft: Type.Optional(
      Nullable(
        Type.Integer({
          description:
            'New gateway sessions that the platform allows until its count begins anew; it resets the token of a bot that begins more.',
        }),
      ),
    ),
    notLive: Type.Optional(
      Type.Array(ServerNotLive, {
        description: 'Registered servers without live roles, the first 100; none while the gateway is off.',
      }),
    ),
    rest: Rest,
  }),
  database: Type.Object({
    status: UpOrDown,
    problem: Nullable(
      Type.String({ description: 'Why it answers and takes no writes, and how to mend it.' }),
    ),
    latencyMs: LatencyMs,
    pool: Type.Object({
      max: Type.Integer(),
      total: Type.Integer({ description: 'Connections that are open.' }),
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
  summary: 'Service, chat platform, database and cache, in detail',
  auth: 'admin',
  answers: { 200: SystemHealth },
  refuses: [],
})

/** Time buckets, with their lengths in seconds. */
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
    description: 'From this minute on; by default an hour before `to`, with `bucket` a day.',
  }),
  to: Type.Optional({ ...DateTime, description: 'End of the period, inclusive; default: now.' }),
  projectId: Type.Optional(Uuid),
  route: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 20,
      description: 'Method and path template, as `route` of an answer says them; any of them.',
    }),
  ),
  status: Type.Optional({
    ...OneOf('2xx', '3xx', '4xx', '5xx'),
    description: 'Only answers with such a status.',
  }),
  bucket: Type.Optional({
    ...OneOf('1m', '5m', '15m', '1h', '6h', '1d'),
    description: `Sums by these lengths of time, in UTC, instead of rows: for charts. At most ${maxUsagePoints} points are answered, so a long period takes long buckets.`,
  }),
  groupBy: Type.Optional({
    ...OneOf('none', 'project', 'route', 'status'),
    default: 'none',
    description: 'With `bucket`: one series for each of these.',
  }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5_000, default: 1_000 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999_999_999, default: 0 })),
})

/** The number of requests by one project to one endpoint within one minute, by the status of the response. */
export const UsageMinute = Type.Object({
  minute: DateTime,
  projectId: Nullable({ ...Uuid, description: 'Null for requests of no project.' }),
  route: Type.String({ description: 'Method and path template: `POST /api/auth/validate`.' }),
  status: Type.Integer(),
  count: Type.Integer(),
})

const UsageRows = Type.Object({
  data: Type.Array(UsageMinute),
  total: Type.Integer({ description: 'Rows of the period; no more than 100,000 are counted.' }),
  limit: Type.Integer(),
  offset: Type.Integer(),
})

/** Requests of one project, route or status over time. */
export const UsageLine = Type.Object({
  key: Nullable(
    Type.String({
      description:
        'Id of the project (`none` for requests of no project), route or status; null for all others together.',
    }),
  ),
  name: Type.String({ description: 'For people: the name of the project, the route, the status.' }),
  count: Type.Integer({ description: 'Requests of the whole period.' }),
  points: Type.Array(Type.Object({ at: DateTime, count: Type.Integer() }), {
    description: 'The first moment of a bucket and its requests, in order; buckets without any are left out.',
  }),
})

/** The response to `bucket`: the busiest series first, and all others combined in one last series. */
export const UsageChart = Type.Object({
  bucket: OneOf('1m', '5m', '15m', '1h', '6h', '1d'),
  from: DateTime,
  to: DateTime,
  series: Type.Array(UsageLine),
})

/** Lists requests by minute, project, route and status, for the last 30 days. */
export const usage = endpoint({
  method: 'GET',
  path: '/api/admin/monitoring/usage',
  tag,
  summary: 'How often what was asked, minute by minute, newest first',
  description:
    'Kept for 30 days. Counts arrive within a second. With `bucket` the answer is series for a chart: sign-ins by code are ' +
    '`route=POST /api/auth/token&status=2xx`, validates `route=POST /api/auth/validate`.',
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
  address: Type.Optional(Type.String({ maxLength: 64, description: 'Exactly this address.' })),
  projectId: Type.Optional(Uuid),
  keyPrefix: Type.Optional(Type.String({ maxLength: 16, description: '`rck_` and eight characters.' })),
  memberId: Type.Optional({ ...Snowflake, description: 'The member who sent the request, if known.' }),
  cursor: Type.Optional(
    Type.String({
      pattern: patterns.momentCursor.pattern,
      maxLength: 60,
      description: '`nextCursor` of the previous page.',
    }),
  ),
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
      'A word of a closed list, such as `unknown`, `expired` or `scope_required`; of a login that was refused `not_a_member`, `blocked`, `not_an_admin` or `no_access`.',
  }),
  address: Nullable(Type.String()),
  path: Type.String({ description: 'Without query; what looks like a credential is masked.' }),
  projectId: Nullable(Uuid),
  keyPrefix: Nullable(Type.String()),
  memberId: Nullable({ ...Snowflake, description: 'The member, if known.' }),
  memberName: Nullable(Type.String({ description: 'Their current name; null if that ID is unknown.' })),
  requestId: Nullable(Type.String()),
})

/** Lists credentials that were rejected in the last 30 days; a sample if there were very many. */
export const authFailures = endpoint({
  method: 'GET',
  path: '/api/admin/monitoring/auth-failures',
  tag,
  summary:
    'List rejected keys, sessions, codes and signatures, refused logins and denied access, newest first',
  description:
    'Every 401 and 403, replayed signatures, and logins of accounts that may not log in, also where the site that they came from was told by a redirect. Kept for 30 days. Under a flood a sample is kept; the usage counts and /metrics have them all.',
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

/** A key that was replaced, and is still used. */
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

/** Lists replaced keys that still work and are still used. */
export const replacedKeys = endpoint({
  method: 'GET',
  path: '/api/admin/monitoring/replaced-keys',
  tag,
  summary: 'List replaced keys that are still used, the one that ends first at the top',
  description:
    'A key is named until it has ended, or until it has not been used for an hour and was replaced longer ago than that.',
  auth: 'admin',
  answers: { 200: Type.Object({ data: Type.Array(ReplacedKey), total: Type.Integer() }) },
  refuses: [],
})

/** The numbers of members, sessions and projects at `asOf`. */
export const Stats = Type.Object({
  members: Type.Integer({ description: 'Members of at least one registered server.' }),
  activeMembers: Type.Integer({
    description: 'Those who logged in or refreshed a session within `memberActivityThresholdDays`.',
  }),
  memberActivityThresholdDays: Type.Integer(),
  sessions: Type.Integer({ description: 'Sessions that are neither expired nor revoked.' }),
  projects: Type.Integer(),
  activeProjects: Type.Integer(),
  asOf: { ...DateTime, description: 'They are counted anew when older than the setting `statsTtlMs`.' },
})

/** Returns the numbers of the service, counted again at most every `statsTtlMs`. */
export const stats = endpoint({
  method: 'GET',
  path: '/api/admin/monitoring/stats',
  tag,
  summary: 'Members, sessions and projects in numbers',
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
