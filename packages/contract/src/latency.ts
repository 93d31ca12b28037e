import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Uuid } from './formats.ts'

const tag = 'Monitoring'

/** Upper bounds of the histogram of durations, in milliseconds; the last cell has none. */
export const latencyBoundsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000] as const

const LatencyGroup = OneOf('route', 'project')

const LatencyQuery = Closed({
  from: Type.Optional({
    ...DateTime,
    description: 'Start of the period, inclusive; default: a day before `to`.',
  }),
  to: Type.Optional({ ...DateTime, description: 'End of the period, inclusive; default: now.' }),
  projectId: Type.Optional(Uuid),
  route: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 20,
      description: 'Method and path template, as in `usage`. Matches any of them.',
    }),
  ),
  groupBy: Type.Optional({ ...LatencyGroup, default: 'route', description: 'What each row is about.' }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
})

const Percentile = (part: string) =>
  Nullable(
    Type.Number({
      description:
        `${part} of the requests took at most this time, in milliseconds, rounded up to a bound of the ` +
        'histogram. Null if nothing was measured, or if the time is above the last bound.',
    }),
  )

/** Response times and errors of one route, or of one project. */
export const Latency = Type.Object({
  key: Type.String({
    description: 'The route, or the ID of the project; `none` for requests without a project.',
  }),
  name: Type.String({ description: 'Display name: the route, or the name of the project.' }),
  count: Type.Integer({ description: 'The number of responses in the period.' }),
  clientErrors: Type.Integer({ description: 'Responses with status 4xx.' }),
  serverErrors: Type.Integer({ description: 'Responses with status 5xx.' }),
  measured: Type.Integer({
    description:
      'The number of responses with a measured time. Responses of older versions and to unknown paths have none.',
  }),
  p50Ms: Percentile('50 %'),
  p95Ms: Percentile('95 %'),
  p99Ms: Percentile('99 %'),
  took: Type.Array(Type.Integer(), {
    description:
      'The number of requests that took longer than the previous bound and no longer than this one. The last cell counts ' +
      'requests above all bounds.',
  }),
})

/** Returns response times, and rates of refusals and errors, across all instances. */
export const latency = endpoint({
  method: 'GET',
  path: '/api/admin/monitoring/latency',
  tag,
  summary: 'List response times and errors by route or project, the busiest first',
  description:
    'Measures the time from the received request to the sent response, on the server and across all ' +
    'instances, without the network. The data is kept as long as the request counts.',
  auth: 'admin',
  query: LatencyQuery,
  answers: {
    200: Type.Object({
      from: DateTime,
      to: DateTime,
      boundsMs: Type.Array(Type.Number(), {
        description: 'The upper bounds of the cells of `took`, in milliseconds.',
      }),
      data: Type.Array(Latency),
    }),
  },
  refuses: [],
})

export type LatencyGroup = Static<typeof LatencyGroup>
export type LatencyQuery = Static<typeof LatencyQuery>
export type Latency = Static<typeof Latency>
