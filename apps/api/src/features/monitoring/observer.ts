import type { ErrorCode } from '@rolecall/contract'
import type { Observer } from '#platform/http/responder'
import type { Recorder } from './recorder.ts'
import type { FailureKind } from './store.ts'

/** The refusals that mean a credential was rejected. A new code of that kind is one more row. */
const failureKinds: Partial<Record<ErrorCode, FailureKind>> = {
  INVALID_API_KEY: 'api_key',
  PROJECT_INACTIVE: 'api_key',
  INVALID_TOKEN: 'session',
  INVALID_CODE: 'code',
  INVALID_REFRESH_TOKEN: 'refresh',
  REFRESH_TOKEN_SUPERSEDED: 'refresh',
  REFRESH_TOKEN_REUSED: 'refresh',
  SIGNATURE_INVALID: 'signature',
  NOT_SYSTEM_ADMIN: 'admin',
  CROSS_SITE_REQUEST: 'admin',
}

/** Feeds the recorder with what was answered and who was turned away. */
export const createObserver = (recorder: Recorder): Observer => ({
  answered: (route, projectId, status) => recorder.countUsage(route, projectId, status),
  refused: ({ code, details }, request) => {
    const kind = failureKinds[code]
    if (!kind) return
    recorder.addFailure({
      kind,
      reason: details.reason ?? 'refused',
      address: request.ip,
      path: (request.raw.url ?? '').split('?', 1)[0]?.slice(0, 200).replaceAll('\0', '') ?? '',
      projectId: details.projectId ?? null,
      keyPrefix: details.keyPrefix ?? null,
      requestId: request.id,
    })
  },
})
