import type { ErrorCode, errors } from '@rolecall/contract'
import { readIp } from '#platform/http/client-info'
import type { Observer } from '#platform/http/responder'
import { shownPath } from '#platform/http/shown-path'
import type { RequestMetrics } from '#platform/metrics/request-metrics'
import type { Recorder } from './recorder.ts'
import type { FailureKind } from './store.ts'

type Table = typeof errors
/** Said to whoever has not logged in yet, or came where they may not: nothing was presented that was wrong. */
type Expected = 'LOGIN_REQUIRED' | 'ROLE_LACKING' | 'HOST_UNKNOWN'
/** Every other refusal that says "not you": a new one does not compile without a row below. */
type Denial = Exclude<
  { [Code in ErrorCode]: Table[Code]['status'] extends 401 | 403 ? Code : never }[ErrorCode],
  Expected
>
/** No denials by their status, and recorded all the same: something good once was presented again, or by somebody else. */
type Replay = 'SIGNATURE_REPLAYED' | 'CHALLENGE_WITHOUT_VERIFIER' | 'LOGIN_REQUEST_INVALID'

/** What each denial is recorded as. */
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
  NOT_SYSTEM_ADMIN: 'admin',
  CROSS_SITE_REQUEST: 'admin',
  NAVIGATION_REQUIRED: 'code',
  METRICS_LOCAL_ONLY: 'admin',
  // What a project asks for and may not have.
  SCOPE_REQUIRED: 'api_key',
  OPERATION_REQUIRED: 'api_key',
  SERVER_NOT_ACCESSIBLE: 'api_key',
  REDIRECT_URI_NOT_ALLOWED: 'api_key',
  PROJECT_INACTIVE_AT_LOGIN: 'api_key',
  ORIGIN_NOT_ALLOWED: 'api_key',
  // What a proxy asks, or somebody who plays one.
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

/** Tells recorder and metrics what was answered and who was turned away. */
export const createObserver = ({ recorder, requests, countFailure }: ObserverDeps): Observer => ({
  began: (request) => {
    request.startedAtUs = requests.began()
  },
  answered: (route, projectId, status, request) => {
    const bucket = requests.ended(route, status, request.startedAtUs)
    recorder.countUsage(route, projectId, status, bucket)
    // Only a key says who it is for.
    if (request.caller?.keyDigest) recorder.keyUsed(request.caller.keyDigest)
  },
  refused: ({ code, details }, request) => {
    // The key of an inactive project is refused like a bad one, and is somebody's use of it all the same.
    if (code === 'PROJECT_INACTIVE' && details.keyDigest) recorder.keyUsed(details.keyDigest)
    if (!isRecorded(code)) return
    // Where a login was refused it is recorded with who it was; a page that only tells of it knows nobody.
    if (code === 'LOGIN_REFUSED' && details.memberId === undefined) return
    const kind = failureKinds[code]
    countFailure(kind)
    recorder.addFailure(() => ({
      at: performance.now(),
      kind,
      // A code is a word of a closed list, too.
      reason: details.reason ?? code.toLowerCase(),
      // Behind a proxy an address is what somebody wrote.
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
