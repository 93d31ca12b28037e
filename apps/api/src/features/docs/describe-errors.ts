import {
  bodyLimitOf,
  type EndpointDefinition,
  type ErrorArea,
  type ErrorCode,
  type ErrorDefinition,
  endpoints,
  errors,
  maxPayloadBytes,
  operationIdOf,
  type Retry,
  refusals,
} from '@rolecall/contract'
import { refusalOf } from './describe-endpoint.ts'

/** The description of an error code. A code can have several cases, with different statuses. */
export interface ErrorPage {
  readonly code: string
  readonly cases: readonly ErrorCase[]
}

/** An endpoint that returns an error. */
export interface ReturningEndpoint {
  readonly id: string
  /** The method and the path. */
  readonly name: string
}

/** One meaning of an error code. */
export interface ErrorCase {
  readonly status: number
  readonly title: string
  readonly fix: Fix
  /** The sentences that only the reference contains. */
  readonly when: string | undefined
  readonly note: string | undefined
  /** The endpoints' limits or media types, for an error about them. Otherwise empty. */
  readonly accepted: readonly Accepted[]
  /** The title of the task to which the error belongs. */
  readonly area: string
  /** Says when a retry makes sense: for a table, and in a sentence. */
  readonly retry: string
  readonly retryAdvice: string | undefined
  /** Codes with which this one is easily confused. */
  readonly see: readonly string[]
  readonly guides: readonly Guide[]
  readonly where: ErrorPlaces
}

/** The fix of an error: its first sentences, and a list of its steps or of its conditions. */
export interface Fix {
  readonly lead: string
  readonly items: readonly string[]
  /** True if the items are steps. */
  readonly isOrdered: boolean
}

/** A limit or a media type, and the endpoints that accept it. Without endpoints, it applies to all others. */
export interface Accepted {
  readonly value: string
  readonly by: readonly ReturningEndpoint[]
}

/** A section of the documentation. `path` begins in `docs`. */
export interface Guide {
  readonly title: string
  readonly path: string
}

/** The places that return an error, as the parts of a sentence. */
export interface ErrorPlaces {
  /** A group of endpoints that all return this error, or a request that is not in the contract. */
  readonly all: string | undefined
  /** The endpoints of the group that do not return it. */
  readonly except: readonly ReturningEndpoint[]
  /** The endpoints outside the group that return it, too. All of them if there is no group. */
  readonly others: readonly ReturningEndpoint[]
}

/** The titles of the tasks, in the order of the table of all codes. */
export const areaTitles: Readonly<Record<ErrorArea, string>> = {
  signIn: 'Sign-in',
  sessions: 'Sessions',
  access: 'API keys and access',
  members: 'Members and pictures',
  webhooks: 'Inbound webhooks',
  deliveries: 'Events, notices, and logouts',
  proxy: 'Sites behind a reverse proxy',
  admin: 'Projects, servers, and the console',
  request: 'HTTP requests',
  service: 'State of the service',
}

/**
 * The condition of a retry, for the table of all codes and as a sentence for the entry of a code. An entry whose fix
 * says the condition needs no sentence.
 */
const retryTexts: Readonly<Record<Retry, readonly [string, string | undefined]>> = {
  no: ['no', 'Do not repeat the request.'],
  corrected: ['with a corrected request', undefined],
  changed: [
    'after a change by an administrator',
    'Repeat the request only after an administrator has made the change.',
  ],
  configured: [
    'after a change by the operator',
    'Repeat the request only after the configuration has been changed.',
  ],
  signIn: ['after a new sign-in', undefined],
  later: ['after the seconds in `Retry-After`', undefined],
  again: ['yes', undefined],
  ifSafe: ['only if a repetition is safe', undefined],
}

/** A complete error response, as JSON. */
export const exampleProblem: string = JSON.stringify(
  {
    type: 'https://rolecall.example/api/docs/errors#VALIDATION_FAILED',
    title: errors.VALIDATION_FAILED.title,
    status: errors.VALIDATION_FAILED.status,
    detail: errors.VALIDATION_FAILED.fix,
    code: 'VALIDATION_FAILED',
    requestId: '5f3a9c0e1b-1f',
    errors: [{ path: '/refreshToken', message: 'is required', code: 'REQUIRED' }],
  },
  null,
  2,
)

const metrics = '`GET /metrics`'
const outsideContract: Partial<Record<ErrorCode, string>> = {
  INVALID_METRICS_TOKEN: metrics,
  METRICS_LOCAL_ONLY: metrics,
}

/** Groups of endpoints with a short description. The first one that an error covers describes it. */
const groups: readonly (readonly [string, (one: EndpointDefinition) => boolean])[] = [
  ['Every endpoint', () => true],
  [
    'Every endpoint with parameters, or with a method other than `GET`,',
    ({ params, query, method }) => Boolean(params || query || method !== 'GET'),
  ],
  ['Every endpoint with a method other than `GET`', ({ method }) => method !== 'GET'],
  ['Every endpoint that requires a session token', ({ auth }) => auth === 'admin' || auth === 'session'],
  ['Every endpoint of the admin API', ({ auth }) => auth === 'admin'],
  ['Every endpoint that requires an API key', ({ auth }) => auth === 'projectKey'],
]

/** The maximum number of endpoints that are named as the exceptions of a group. */
const maxExceptions = 4

/** Describes all errors of the service, by the `code` in the response, in alphabetical order. */
export function describeErrors(): ErrorPage[] {
  const byCode = new Map<string, ErrorCase[]>()
  for (const name of Object.keys(errors) as ErrorCode[]) {
    const { code, status, title, fix } = refusalOf(name)
    const { area, retry, see = [], when, note, guides = {} }: ErrorDefinition = errors[name]
    const [retryText, retryAdvice] = retryTexts[retry]
    const found = {
      ...{ status, title, fix: fixOf(fix), when, note, accepted: acceptedOf(name), see },
      ...{ area: areaTitles[area], retry: retryText, retryAdvice, where: placesOf(name) },
      guides: Object.entries(guides).map(([guide, path]) => ({ title: guide, path })),
    }
    byCode.set(code, [...(byCode.get(code) ?? []), found])
  }
  return [...byCode].map(([code, cases]) => ({ code, cases })).toSorted((a, b) => (a.code < b.code ? -1 : 1))
}

/** Splits a fix into its first sentences, and its numbered steps or its conditions if there are at least two. */
export function fixOf(text: string): Fix {
  const [beforeSteps = '', ...steps] = text.split(/ [1-9]\. /)
  if (steps.length > 0) return { lead: beforeSteps, items: steps, isOrdered: true }
  const [lead = '', ...conditions] = text.split(/(?<=\.) (?=If )/)
  if (conditions.length > 1) return { lead, items: conditions, isOrdered: false }
  return { lead: text, items: [], isOrdered: false }
}

/** Lists what the endpoints accept, for the errors that depend on it. */
function acceptedOf(name: ErrorCode): Accepted[] {
  if (name === 'PAYLOAD_TOO_LARGE') return bodyLimits()
  if (name !== 'UPLOAD_TYPE_UNSUPPORTED') return []
  return endpoints.flatMap((one: EndpointDefinition) =>
    one.upload ? [{ value: one.upload.join(', '), by: [named(one)] }] : [],
  )
}

/** Lists the limits of request bodies in ascending order, after the most frequent one. */
function bodyLimits(): Accepted[] {
  const byLimit = new Map<number, ReturningEndpoint[]>()
  for (const one of endpoints as readonly EndpointDefinition[]) {
    if (!refusals(one).includes('PAYLOAD_TOO_LARGE')) continue
    const limit = one.payload ? maxPayloadBytes : bodyLimitOf(one)
    byLimit.set(limit, [...(byLimit.get(limit) ?? []), named(one)])
  }
  const sorted = [...byLimit].toSorted(([one], [other]) => one - other)
  const most = sorted.reduce((max, [, { length }]) => Math.max(max, length), 0)
  const rows = sorted.map(([limit, by]) => ({ value: `at most ${limit / 1024} KiB`, by }))
  return [
    ...rows.filter(({ by }) => by.length === most).map(({ value }) => ({ value, by: [] })),
    ...rows.filter(({ by }) => by.length < most),
  ]
}

function placesOf(name: ErrorCode): ErrorPlaces {
  const returning = endpoints.filter((one) => refusals(one).includes(name))
  if (returning.length === 0) return { all: outsideContract[name] ?? 'Any request', except: [], others: [] }
  for (const [all, isMember] of groups) {
    const except = endpoints.filter((one) => isMember(one) && !returning.includes(one))
    if (except.length <= maxExceptions)
      return {
        all,
        except: except.map(named),
        others: returning.filter((one) => !isMember(one)).map(named),
      }
  }
  return { all: undefined, except: [], others: returning.map(named) }
}

const named = (one: EndpointDefinition): ReturningEndpoint => ({
  id: operationIdOf(one),
  name: `${one.method} ${one.path}`,
})
