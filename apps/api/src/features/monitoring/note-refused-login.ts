import { readIp } from '#platform/http/client-info'
import type { Client } from '#platform/http/router'
import type { Recorder } from './recorder.ts'
import type { FailureKind } from './store.ts'

/** A refused sign-in of a known account. */
interface RefusedLogin {
  /** A word from a fixed list. */
  readonly reason: string
  readonly memberId: string
  readonly projectId: string | null
  readonly serverId: string
  readonly path: string
  readonly client: Client
}

/** The interval in which the same refusal is recorded only a limited number of times. A person may reload the page. */
const repeatMs = 60_000
/** The maximum number of records of the same refusal per interval. The page about missing roles is reloaded often. */
const maxRepeated = (reason: string) => (reason === 'role_lacking' ? 1 : 5)
/** The maximum number of remembered refusals. Beyond it, all are forgotten, and repetitions are recorded again. */
const maxRemembered = 10_000

/**
 * Returns true if the sign-in itself failed. It did not fail if the member declined, or if only the roles for a
 * protected host are missing.
 */
const isFailedCode = (reason: string) => reason !== 'declined' && reason !== 'role_lacking'

/**
 * Creates the function that records a refused sign-in. Call it where a sign-in is refused without an exception: the
 * observer sees only exceptions, and the redirect of a refused sign-in looks like that of a successful one.
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

  /** Counts a refusal. Returns true if the same refusal of the member was recorded often enough in this interval. */
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
