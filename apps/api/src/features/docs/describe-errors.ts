import {
  type EndpointDefinition,
  type ErrorArea,
  type ErrorCode,
  type ErrorDefinition,
  endpoints,
  errors,
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
  readonly fix: string
  /** The title of the task to which the error belongs. */
  readonly area: string
  /** Says when a retry makes sense. */
  readonly retry: string
  /** Codes with which this one is easily confused. */
  readonly see: readonly string[]
  readonly where: ErrorPlaces
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

const retryTexts: Readonly<Record<Retry, string>> = {
  no: 'no',
  corrected: 'with a corrected request',
  changed: 'after a change by an administrator',
  configured: 'after a change by the operator',
  signIn: 'after a new sign-in',
  later: 'after the seconds in `Retry-After`',
  again: 'yes',
  ifSafe: 'only if a repetition is safe',
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
    const { area, retry, see = [] }: ErrorDefinition = errors[name]
    const found = {
      ...{ status, title, fix, see },
      ...{ area: areaTitles[area], retry: retryTexts[retry], where: placesOf(name) },
    }
    byCode.set(code, [...(byCode.get(code) ?? []), found])
  }
  return [...byCode].map(([code, cases]) => ({ code, cases })).toSorted((a, b) => (a.code < b.code ? -1 : 1))
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
