import { eventDeliveries, events } from '@rolecall/contract'
import { listLog, resend } from '#deliveries/delivery-log'
import { eventStreamAnswer, lastEventIdOf } from '#platform/http/event-stream-answer'
import type { Router } from '#platform/http/router'
import { by, type Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { createEventHub } from './event-hub.ts'
import { eventLog } from './event-log.ts'
import { createKeyChecks } from './key-checks.ts'
import { openStream } from './open-stream.ts'

/** The functions of other features that events call. `app.ts` passes them. */
interface EventNeeds {
  /** Returns the project ID of a key. Throws an `ApiError` if the key is not valid now. */
  readonly checkKey: (key: string) => Promise<string>
}

const defaultHeartbeatSec = 15

/**
 * Registers the event stream, and the endpoints for the log of events that were sent to webhooks. Call `close` to end
 * all streams.
 */
export function eventRoutes({ route }: Router<Callers>, deps: Deps, { checkKey }: EventNeeds) {
  const hub = createEventHub(deps)
  const isKeyValid = createKeyChecks(checkKey)
  route(events.streamEvents, async ({ caller, query, raw: { headers } }) => {
    const key = String(headers['x-api-key'])
    const stream = await openStream({ ...deps, hub }, caller, {
      lastEventId: lastEventIdOf(headers),
      heartbeatMs: (query.heartbeat ?? defaultHeartbeatSec) * 1_000,
      isKeyValid: () => isKeyValid(key),
    })
    return eventStreamAnswer(stream)
  })
  route(eventDeliveries.listEventDeliveries, ({ params, query }) => listLog(deps, eventLog, params.id, query))
  route(eventDeliveries.resendEventDelivery, (request) => {
    const { id: projectId, eventId } = request.params
    return resend(deps, eventLog, by(request), { projectId, id: eventId })
  })
  return { close: hub.close }
}
