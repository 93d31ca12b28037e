import { eventDeliveries, events } from '@rolecall/contract'
import { Answer } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import type { Router } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import { by, type Callers } from '../callers.ts'
import { listEventDeliveries } from './deliveries/list-event-deliveries.ts'
import { resendEvent } from './deliveries/resend-event.ts'
import { createEventHub } from './event-hub.ts'
import { openStream } from './open-stream.ts'

/** What other features do for events; `app.ts` passes it. */
interface EventNeeds {
  /** The project of a key; throws when the key is not good now. */
  readonly checkKey: (key: string) => Promise<string>
}

const defaultHeartbeatSec = 15

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // A stream ends when its instance stops: nothing else should wait for the connection then.
  connection: 'close',
  // Proxies that gather answers into blocks would hold events back.
  'x-accel-buffering': 'no',
}

export function eventRoutes({ route }: Router<Callers>, deps: Deps, { checkKey }: EventNeeds) {
  const hub = createEventHub(deps)
  route(events.streamEvents, async ({ caller, query, raw: { headers } }) => {
    const lastEventId = headers['last-event-id']
    const key = String(headers['x-api-key'])
    const stream = await openStream({ ...deps, hub }, caller, {
      // An empty one is none: that is how a client sends back an id that it was told to forget.
      lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : undefined,
      heartbeatMs: (query.heartbeat ?? defaultHeartbeatSec) * 1_000,
      isKeyGood: () => checkKey(key).then(() => true, refusedAs(false)),
    })
    return new Answer(200, undefined, streamHeaders, stream)
  })
  route(eventDeliveries.listEventDeliveries, ({ params, query }) =>
    listEventDeliveries(deps, params.id, query),
  )
  route(eventDeliveries.resendEventDelivery, (request) => {
    const { id: projectId, eventId } = request.params
    return resendEvent(deps, by(request), { projectId, eventId })
  })
  return { close: hub.close }
}

/** An outage says nothing about a key. */
const refusedAs =
  <T>(answer: T) =>
  (error: unknown): T => {
    if (error instanceof ApiError) return answer
    throw error
  }
