import type { ErrorCode } from '@rolecall/contract'
import { readIp } from '#platform/http/client-info'
import type { Observer } from '#platform/http/responder'
import { shownPath } from '#platform/http/shown-path'
import type { RequestMetrics } from '#platform/metrics/request-metrics'
import type { Recorder } from './recorder.ts'
import type { FailureKind } from './store.ts'

/** The refusals that mean a credential was rejected. A new code of that kind is one more row. */
const failureKinds: Partial<Record<ErrorCode, FailureKind>> = {
  INVALID_API_KEY: 'api_key',
  PROJECT_INACTIVE: 'api_key',
  INVALID_TOKEN: 'session',
  INVALID_CODE: 'code',
  CHALLENGE_WITHOUT_VERIFIER: 'code',
  LOGIN_REQUEST_INVALID: 'code',
  INVALID_REFRESH_TOKEN: 'refresh',
  REFRESH_TOKEN_SUPERSEDED: 'refresh',
  REFRESH_TOKEN_REUSED: 'refresh',
  SIGNATURE_INVALID: 'signature',
  NOT_SYSTEM_ADMIN: 'admin',
  CROSS_SITE_REQUEST: 'admin',
  INVALID_METRICS_TOKEN: 'admin',
}

interface Needs {
  readonly recorder: Recorder
  readonly requests: RequestMetrics
  readonly countFailure: (kind: FailureKind) => void
}

/** Tells recorder and metrics what was answered and who was turned away. */
export const createObserver = ({ recorder, requests, countFailure }: Needs): Observer => ({
  began: (request) => {
    request.startedAtUs = requests.began()
  },
  answered: (route, projectId, status, request) => {
    recorder.countUsage(route, projectId, status)
    requests.ended(route, status, request.startedAtUs)
  },
  refused: ({ code, details }, request) => {
    const kind = failureKinds[code]
    if (!kind) return
    countFailure(kind)
    recorder.addFailure(() => ({
      at: performance.now(),
      kind,
      reason: details.reason ?? 'refused',
      // Behind a proxy an address is what somebody wrote.
      address: readIp(request.ip),
      path: shownPath(request.raw.url ?? ''),
      projectId: details.projectId ?? null,
      keyPrefix: details.keyPrefix ?? null,
      requestId: request.id,
    }))
  },
})
