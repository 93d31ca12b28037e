import { setTimeout as sleep } from 'node:timers/promises'
import { demo } from '@rolecall/chat-sim'
import { followEvents } from './event-client.ts'
import { checkAll } from './final-check.ts'
import { createLedger } from './ledger.ts'
import { createLogins } from './logins.ts'
import { memberTraffic } from './member-traffic.ts'
import type { SoakPlace } from './place.ts'
import type { Random } from './random.ts'
import { createClient } from './requests.ts'
import { serviceTraffic } from './service-traffic.ts'
import { setUp } from './set-up.ts'
import { createVerdicts } from './verdicts.ts'

/**
 * Sets up a deployment, and creates traffic until `stop` is called. `check` then compares everything with the ledger.
 */
export async function startTraffic(place: SoakPlace, random: Random, laneCount: number) {
  const verdicts = createVerdicts()
  const ask = createClient(place.instances, random, verdicts)
  const logins = createLogins(ask, place.sim, place.env['PUBLIC_URL'] ?? '', verdicts)
  const ledger = createLedger(place.memberIds, [demo.roles.crew], random)
  const { admin, projects, oidc, webhook } = await setUp(ask, logins)
  const [project] = projects
  const events = followEvents(place.instances, project)
  const parts = { ask, ledger, logins, verdicts, random, admin }
  const members = memberTraffic({ ...parts, sim: place.sim, projects })
  const services = serviceTraffic({ ...parts, project, oidc, webhook })
  let isOver = false
  const lane = async (act: () => Promise<unknown>, pauseMs: number) => {
    while (!isOver) {
      await act()
      await sleep(pauseMs * (0.5 + Math.random()))
    }
  }
  const lanes = Promise.all([
    ...Array.from({ length: laneCount }, () => lane(members.act, 40)),
    lane(services.submit, 250),
    lane(services.administer, 500),
    lane(services.read, 200),
    lane(services.signOn, 1_000),
  ])
  // Prevents an unhandled rejection, because `stop` reports the failure of a lane.
  lanes.catch(() => {})
  return {
    verdicts,
    ledger,
    events,
    /** Ends the lanes. Rejects if one of them has failed. */
    async stop() {
      isOver = true
      await lanes
    },
    /** Compares everything with the ledger. Call it after `stop`, when everything has recovered. */
    async check() {
      const outcome = await checkAll({ ...parts, place, traffic: members, events, project, webhook })
      await events.stop()
      return outcome
    },
  }
}
