import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Uuid } from './formats.ts'

const tag = 'Monitoring'

/** Upper bounds of the histogram of durations, in milliseconds; the last cell has none. */
export const latencyBoundsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000] as const

const LatencyGroup = OneOf('route', 'project')

const LatencyQuery = Closed({
  from: Type.Optional({ ...DateTime, description: 'From this minute on; by default a day before `to`.' }),
  to: Type.Optional({ ...DateTime, description: 'Up to and including this minute; now by default.' }),
  projectId: Type.Optional(Uuid),
  route: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 20,
      description: 'Method and path template, as `usage` says them; any of them.',
    }),
  ),
  groupBy: Type.Optional({ ...LatencyGroup, default: 'route', description: 'A row for each of these.' }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
})

const Percentile = (part: string) =>
  Nullable(
    Type.Number({
      description: `${part} took no longer, in milliseconds: a bound of the histogram. Null where nothing was measured, or they took longer than the last bound.`,
    }),
  )

/** Response times and errors of one route, or of one project. */
export const Latency = Type.Object({
  key: Type.String({
    description: 'The route, or the id of the project; `none` for requests of no project.',
  }),
  name: Type.String({ description: 'For people: the route, or the name of the project.' }),
  count: Type.Integer({ description: 'Answers of the period.' }),
  clientErrors: Type.Integer({ description: 'Answers 4xx among them.' }),
  serverErrors: Type.Integer({ description: 'Answers 5xx among them.' }),
  measured: Type.Integer({
    description: 'Responses with a measured time: not those of older versions, nor those of unknown paths.',
  }),
  p50Ms: Percentile('Half of them'),
  p95Ms: Percentile('95 of 100'),
  p99Ms: Percentile('99 of 100'),
  took: Type.Array(Type.Integer(), {
    description:
      'How many took longer than the bound before, and no longer than this one; the last cell took longer than all.',
  }),
})

/** Returns response times, and rates of refusals and errors, across all instances. */
export const latency = endpoint({
  method: 'GET',
  path: '/api/admin/monitoring/latency',
  tag,
  summary: 'How long answers take, and how many are errors, by route or project, the busiest first',
  description:
    'From when a request was read to its answer, of all instances together; the time on the network is not in it. Kept as long as the usage counts.',
  auth: 'admin',
  query: LatencyQuery,
  answers: {
    200: Type.Object({
      from: DateTime,
      to: DateTime,
      boundsMs: Type.Array(Type.Number(), { description: 'Of `took`.' }),
      data: Type.Array(Latency),
    }),
  },
  refuses: [],
})

export type LatencyGroup = Static<typeof LatencyGroup>
export type LatencyQuery = Static<typeof LatencyQuery>
export type Latency = Static<typeof Latency>
