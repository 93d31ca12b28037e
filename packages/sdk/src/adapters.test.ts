import { describeSites } from '../test/adapter-table.ts'
import { sites } from '../test/sites.ts'

// Frameworks that need a build are tested in tools/sdk/stacks.test.ts, and those that are not installed with the
// workspace in tools/peers.
describeSites(sites)
