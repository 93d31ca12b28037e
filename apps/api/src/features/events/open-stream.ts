import type { Readable } from 'node:stream'
import { ApiError } from '#platform/http/api-error'
import type { ProjectCaller } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import type { EventHub } from './event-hub.ts'
import { createEventStream, type StreamTerms } from './event-stream.ts'
import { type Mark, parseEventId } from './position.ts'
import { readPresent } from './store.ts'

/** The lifetime of an event ID in seconds. Events stay in the outbox for an hour longer. */
const idLifeSec = 24 * 60 * 60
/** The maximum difference in seconds between the clocks of a database server and the standby that replaces it. */
const clockSlackSec = 60

interface StreamRequest extends Pick<StreamTerms, 'heartbeatMs' | 'isKeyValid'> {
  readonly lastEventId: string | undefined
}

/**
 * Opens a stream that resumes after the client's last event. If the client sends an ID from which it cannot resume, the
 * stream sends the event `reset` and starts at the present. Without an ID, it starts at the present.
 *
 * @throws RATE_LIMITED if the project has too many open streams
 */
export async function openStream(
  deps: Pick<Deps, 'db' | 'log' | 'answers'> & { readonly hub: EventHub },
  { projectId }: ProjectCaller,
  { lastEventId, heartbeatMs, isKeyValid }: StreamRequest,
): Promise<Readable> {
  const present = await readPresent(deps.db)
  const last = lastEventId === undefined ? undefined : parseEventId(lastEventId)
  const problem = lastEventId === undefined ? undefined : whyNotResumable(last, present)
  const stream = createEventStream(deps, {
    projectId,
    heartbeatMs,
    isKeyValid,
    from: problem || !last ? present : last,
    reset: problem && JSON.stringify({ reason: problem, at: new Date(present.atSec * 1_000).toISOString() }),
  })
  if (stream) return stream
  throw new ApiError('RATE_LIMITED', {
    detail: 'This project has too many open event streams. Close the streams that you do not need.',
    headers: { 'retry-after': '10' },
  })
}

/**
 * Returns the reason why a client cannot resume from an ID, or undefined if it can. An ID is unknown if it is malformed
 * or in the future, because the database was restored to an earlier state.
 */
function whyNotResumable(last: Mark | undefined, present: Mark): 'unknown_id' | 'too_far_behind' | undefined {
  if (!last || last.xid > present.xid || last.atSec > present.atSec + clockSlackSec) {
    return 'unknown_id'
  }
  return present.atSec - last.atSec > idLifeSec ? 'too_far_behind' : undefined
}
