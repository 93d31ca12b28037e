import { createSessionStarts } from './gateway/session-starts.ts'
import { createFaults } from './http/faults.ts'
import { createInvalidRequests } from './http/invalid-requests.ts'
import { createJournal } from './http/journal.ts'
import { createRateLimits } from './http/rate-limits.ts'
import { createGrants } from './oauth2/grants.ts'
import { createQuirks, resetQuirks } from './oauth2/quirks.ts'
import { createInbox } from './rest/webhook-inbox.ts'
import type { World } from './world/world.ts'

/** The options of a simulated platform. */
export interface PlatformOptions {
  /** The issuer, which is also the address of the simulator in browsers. */
  issuer: string
  /** True if `?login_as=…&auto=1` at the authorize address skips the pages. */
  headlessLogin: boolean
}

/** Creates the state that all routes share. Each simulator has its own, so that several can run in one process. */
export function createPlatform(world: World, options: PlatformOptions) {
  const { clock } = world
  return {
    world,
    clock,
    options,
    grants: createGrants(clock),
    quirks: createQuirks(),
    faults: createFaults(clock),
    journal: createJournal(),
    rateLimits: createRateLimits(clock),
    invalidRequests: createInvalidRequests(clock),
    inbox: createInbox(),
    sessionStarts: createSessionStarts(clock),
  }
}

export type Platform = ReturnType<typeof createPlatform>

/** Restores everything except the world to its state at the start. */
export function clearPlatform(platform: Platform): void {
  platform.clock.reset()
  platform.grants.clear()
  resetQuirks(platform.quirks)
  platform.faults.clearFaults()
  platform.journal.clear()
  platform.rateLimits.clear()
  platform.invalidRequests.clear()
  platform.inbox.clear()
  platform.sessionStarts.clear()
}
