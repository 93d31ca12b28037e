import type { ErrorCode, errors } from '@rolecall/contract'
import { readIp } from '#platform/http/client-info'
import type { Observer } from '#platform/http/responder'
import { shownPath } from '#platform/http/shown-path'
import type { RequestMetrics } from '#platform/metrics/request-metrics'
import type { Recorder } from './recorder.ts'
import type { FailureKind } from './store.ts'

type Table = typeof errors
/**
 * Errors that are not recorded, because the client presented no invalid credential. It is not signed in, or lacks
 * access.
 */
type Expected = 'LOGIN_REQUIRED' | 'ROLE_LACKING' | 'HOST_UNKNOWN'
/** All other errors with the status 401 or 403. The type checker requires a row in `failureKinds` for each. */
type Denial = Exclude<
  { [Code in ErrorCode]: Table[Code]['status'] extends 401 | 403 ? Code : never }[ErrorCode],
  Expected
>
/**
 * Errors with another status that are recorded, too. They show that a value was presented twice, or by another client
 * than the one that it was issued to.
 */
type Replay = 'SIGNATURE_REPLAYED' | 'CHALLENGE_WITHOUT_VERIFIER' | 'LOGIN_REQUEST_INVALID'

/** The kind of credential under which each error is recorded. */
const failureKinds: Record<Denial | Replay, FailureKind> = {
  INVALID_API_KEY: 'api_key',
  PROJECT_INACTIVE: 'api_key',
  INVALID_TOKEN: 'session',
  INVALID_CODE: 'code',
  CHALLENGE_WITHOUT_VERIFIER: 'code',
  LOGIN_REQUEST_INVALID: 'code',
  INVALID_REFRESH_TOKEN: 'refresh',
  REFRESH_TOKEN_SUPERSEDED: 'refresh',
  REFRESH_TOKEN_REUSED: 'refresh',
  INVALID_METRICS_TOKEN: 'admin',
  SIGNATURE_INVALID: 'signature',
  SIGNATURE_REPLAYED: 'signature',
  MEMBER_BLOCKED: 'code',
  LOGIN_REFUSED: 'code',
  MAIN_SERVER_MISSING: 'code',
  NOT_SYSTEM_ADMIN: 'admin',
  CROSS_SITE_REQUEST: 'admin',
  NAVIGATION_REQUIRED: 'code',
  METRICS_LOCAL_ONLY: 'admin',
  // Requests of a project that are not permitted.
  SCOPE_REQUIRED: 'api_key',
  OPERATION_REQUIRED: 'api_key',
  SERVER_NOT_ACCESSIBLE: 'api_key',
  REDIRECT_URI_NOT_ALLOWED: 'api_key',
  PROJECT_INACTIVE_AT_LOGIN: 'api_key',
  ORIGIN_NOT_ALLOWED: 'api_key',
  // Requests of a proxy, or of a client that poses as one.
  PROXY_NOT_TRUSTED: 'session',
  FORWARDED_REQUEST_INVALID: 'session',
  ROLE_REQUIRED: 'session',
}

const isRecorded = (code: ErrorCode): code is keyof typeof failureKinds => code in failureKinds

interface ObserverDeps {
  readonly recorder: Recorder
  readonly requests: RequestMetrics
  readonly countFailure: (kind: FailureKind) => void
}

/** Creates the observer, which passes each response and each rejected credential to the recorder and the metrics. */
export const createObserver = ({ recorder, requests, countFailure }: ObserverDeps): Observer => ({
  began: (request) => {
    request.startedAtUs = requests.began()
  },
  answered: (route, projectId, status, request) => {
    const bucket = requests.ended(route, status, request.startedAtUs)
    recorder.countUsage(route, projectId, status, bucket)
    // Only a request with a key identifies its project.
    if (request.caller?.keyDigest) recorder.keyUsed(request.caller.keyDigest)
  },
  refused: ({ code, details }, request) => {
    // The key of an inactive project is rejected like an invalid one, but it was still used.
    if (code === 'PROJECT_INACTIVE' && details.keyDigest) recorder.keyUsed(details.keyDigest)
    if (!isRecorded(code)) return
    // The refusal was recorded where the member was known. This response only reports it on a page.
    if (code === 'LOGIN_REFUSED' && details.memberId === undefined) return
    const kind = failureKinds[code]
    countFailure(kind)
    recorder.addFailure(() => ({
      at: performance.now(),
      kind,
      // An error code is a word from a fixed list, too.
      reason: details.reason ?? code.toLowerCase(),
      // `readIp` drops text that is no IP address, which a client may be able to send through a proxy.
      address: readIp(request.ip),
      path: shownPath(request.raw.url ?? ''),
      projectId: details.projectId ?? null,
      serverId: null,
      keyPrefix: details.keyPrefix ?? null,
      memberId: details.memberId ?? request.caller?.memberId ?? null,
      requestId: request.id,
    }))
  },
})
