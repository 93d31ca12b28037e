import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { OneOf } from './formats.ts'

const tag = 'Health'
/** Orchestrators and monitors send requests from few addresses, and would treat a refusal as an outage. */
const alwaysAnswered = {
  unlimited: 'An orchestrator would treat a rejection as an outage and stop healthy instances.',
  refusedUnderPressure: 'never',
} as const
const UpOrDown = OneOf('up', 'down')

const Reason = Type.String({
  description:
    'A problem that the other fields do not show. `database read-only`: the database responds, but accepts ' +
    'no writes. `database full`: the disk of the database is full.',
})

/** The state of the service and its dependencies. `uptime` is in seconds. */
export const Health = Type.Object({
  status: OneOf('ok', 'degraded'),
  uptime: Type.Number({ description: 'Seconds since the process started.' }),
  database: UpOrDown,
  cache: UpOrDown,
  reason: Type.Optional(Reason),
})

/** Responds with 200 while database and cache respond, otherwise with 503 and the same body. */
export const health = endpoint({
  method: 'GET',
  path: '/api/health',
  tag,
  summary: 'Check the service, its database, and its cache',
  description:
    'Returns 200 while the database and the cache respond, and otherwise 503 with the same fields.',
  auth: 'none',
  ...alwaysAnswered,
  answers: { 200: Health, 503: Health },
  refuses: [],
})

/** Responds with 200 while the process can respond at all: restart it if it does not. */
export const liveness = endpoint({
  method: 'GET',
  path: '/api/health/live',
  tag,
  summary: 'Check that the process responds',
  description: 'Returns 200 while the process can respond. If there is no response, restart the process.',
  auth: 'none',
  ...alwaysAnswered,
  answers: { 200: Type.Object({ status: OneOf('ok') }) },
  refuses: [],
})

const Readiness = Type.Object({
  status: OneOf('ready', 'not_ready'),
  reason: Type.Optional(Reason),
})

/** Responds with 200 while the instance accepts requests, otherwise with 503 and the reason: for load balancers. */
export const readiness = endpoint({
  method: 'GET',
  path: '/api/health/ready',
  tag,
  summary: 'Check that the instance is ready for requests',
  description:
    'For load balancers. Returns 200 while the migrations are applied, the database responds, and the ' +
    'instance is not stopping. Otherwise, returns 503 with the reason, if it is known.',
  auth: 'none',
  ...alwaysAnswered,
  answers: { 200: Readiness, 503: Readiness },
  refuses: [],
})
