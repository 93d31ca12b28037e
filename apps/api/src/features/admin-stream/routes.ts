import { adminStream } from '@rolecall/contract'
import { eventStreamAnswer, lastEventIdOf } from '#platform/http/event-stream-answer'
import type { Router } from '#platform/http/router'
import type { AdminCaller, Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { createAdminHub } from './hub.ts'
import { openAdminStream } from './open-stream.ts'

/** The functions of other features that the stream calls. `app.ts` passes them. */
interface AdminStreamNeeds {
  /** Returns true if the caller would be admitted now. Throws if the check fails because of an outage. */
  readonly stillAdmits: (caller: AdminCaller, isThorough: boolean) => Promise<boolean>
}

/** Registers the event stream of the console. Call `close` to end all streams. */
export function adminStreamRoutes({ route }: Router<Callers>, deps: Deps, { stillAdmits }: AdminStreamNeeds) {
  const hub = createAdminHub(deps)
  route(adminStream.streamAdminEvents, async ({ caller, raw: { headers } }) => {
    const stream = await openAdminStream(
      { ...deps, hub },
      {
        sessionId: caller.sessionId,
        lastEventId: lastEventIdOf(headers),
        mayGoOn: (isThorough) => stillAdmits(caller, isThorough),
      },
    )
    return eventStreamAnswer(stream)
  })
  return { close: hub.close }
}
