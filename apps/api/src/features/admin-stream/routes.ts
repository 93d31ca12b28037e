import { adminStream } from '@rolecall/contract'
import { eventStreamAnswer, lastEventIdOf } from '#platform/http/event-stream-answer'
import type { Router } from '#platform/http/router'
import type { AdminCaller, Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { createAdminHub } from './hub.ts'
import { openAdminStream } from './open-stream.ts'

/** What other features do for the stream; `app.ts` passes it. */
interface AdminStreamNeeds {
  /** Whether who was let in would be now; throws where nobody can say. */
  readonly stillAdmits: (caller: AdminCaller, isThorough: boolean) => Promise<boolean>
}

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
