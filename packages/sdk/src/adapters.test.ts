import { describeSites } from '../test/adapter-table.ts'
import { sites } from '../test/sites.ts'

// The frameworks that have to be built are in tools/sdk/stacks.test.ts, those of other packages in tools/peers.
describeSites(sites)
