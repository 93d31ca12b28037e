import { readIp } from '#platform/http/client-info'
import type { Client } from '#platform/http/router'
import type { Recorder } from './recorder.ts'
import type { FailureKind } from './store.ts'

interface RefusedLogin {
  /** A word from a closed list. */
  readonly reason: string
  readonly memberId: string
  readonly projectId: string | null
  readonly serverId: string
  readonly path: string
  readonly client: Client
}

/** Repeated refusals, such as from a page that is reloaded, are recorded a limited number of times in this time. */
const repeatMs = 60_000
/** A page that lists missing roles is reloaded often. */
const maxRepeated = (reason: string) => (reason === 'role_lacking' ? 1 : 5)
/** Maximum number of remembered refusals. If there are more, repetitions are recorded again. */
const maxRemembered = 10_000

/**
 * Returns true if a sign-in failed with a code. The others end with a choice of the member, or with a page that lists
 * missing roles.
 */
const isFailedCode = (reason: string) => reason !== 'declined' && reason !== 'role_lacking'

/**
 * Records a sign-in that ended with an error at the site that it came from. In this case nothing is thrown, and the
 * response is a redirect, as after a successful sign-in.
 */
export function noteRefusedLogin({
  recorder,
  countFailure,
}: {
  readonly recorder: Pick<Recorder, 'addRefusedLogin'>
  readonly countFailure: (kind: FailureKind) => void
}) {
  const remembered = new Map<string, number>()
  let since = performance.now()

  /** Returns true if the same refusal of a member was recorded often enough in the last minute. */
  const isRepeated = ({ reason, memberId, projectId }: RefusedLogin, now: number) => {
    if (now - since >= repeatMs || remembered.size >= maxRemembered) {
      remembered.clear()
      since = now
    }
    const key = `${reason} ${memberId} ${projectId}`
    const times = (remembered.get(key) ?? 0) + 1
    remembered.set(key, times)
    return times > maxRepeated(reason)
  }

  return (refusal: RefusedLogin): void => {
    const { client, ...refused } = refusal
    const at = performance.now()
    if (isFailedCode(refused.reason)) countFailure('code')
    if (isRepeated(refusal, at)) return
    recorder.addRefusedLogin(() => ({
      at,
      kind: 'code',
      ...refused,
      address: readIp(client.ip),
      keyPrefix: null,
      requestId: client.requestId,
    }))
  }
}
