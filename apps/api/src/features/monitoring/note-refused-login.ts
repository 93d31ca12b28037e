import { readIp } from '#platform/http/client-info'
import type { Client } from '#platform/http/router'
import type { Recorder } from './recorder.ts'
import type { FailureKind } from './store.ts'

interface RefusedLogin {
  /** A word of a closed list. */
  readonly reason: string
  readonly memberId: string
  readonly projectId: string | null
  readonly serverId: string
  readonly path: string
  readonly client: Client
}

/**
 * Records a login that ended with an error at the site that it came from: nothing is thrown then, and the answer is a
 * redirect like that of a login that succeeds.
 */
export const noteRefusedLogin =
  ({
    recorder,
    countFailure,
  }: {
    readonly recorder: Pick<Recorder, 'addFailure'>
    readonly countFailure: (kind: FailureKind) => void
  }) =>
  ({ client, ...refused }: RefusedLogin): void => {
    countFailure('code')
    recorder.addFailure(() => ({
      at: performance.now(),
      kind: 'code',
      ...refused,
      address: readIp(client.ip),
      keyPrefix: null,
      requestId: client.requestId,
    }))
  }
