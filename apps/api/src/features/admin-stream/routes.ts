import { adminStream } from '@rolecall/contract'
import { Answer } from '#platform/http/answer'
import type { Router } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import type { AdminCaller, Callers } from '../callers.ts'
import { createAdminHub } from './hub.ts'
import { openAdminStream } from './open-stream.ts'

/** What other features do for the stream; `app.ts` passes it. */
interface AdminStreamNeeds {
  /** Whether who was let in would be now; throws where nobody can say. */
  readonly stillAdmits: (caller: AdminCaller, isThorough: boolean) => Promise<boolean>
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // A stream ends when its instance stops: nothing else should wait for the connection then.
  connection: 'close',
  // Proxies that gather answers into blocks would hold events back.
  'x-accel-buffering': 'no',
}

export function adminStreamRoutes({ route }: Router<Callers>, deps: Deps, { stillAdmits }: AdminStreamNeeds) {
  const hub = createAdminHub(deps)
  route(adminStream.streamAdminEvents, async ({ caller, raw: { headers } }) => {
    const lastEventId = headers['last-event-id']
    const stream = await openAdminStream(
      { ...deps, hub },
      {
        sessionId: caller.sessionId,
        // An empty one is none: that is how a client sends back an id that it was told to forget.
        lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : undefined,
        mayGoOn: (isThorough) => stillAdmits(caller, isThorough),
      },
    )
    return new Answer(200, undefined, streamHeaders, stream)
  })
  return { close: hub.close }
}
