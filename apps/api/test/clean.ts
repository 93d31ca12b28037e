import { startHousekeeping } from '../src/features/housekeeping/start-housekeeping.ts'
import { defaultRetention } from './retention.ts'
import type { World } from './service.ts'

/** Runs one pass of housekeeping, which deletes expired rows. */
export async function clean({ service }: Pick<World, 'service'>): Promise<void> {
  const housekeeping = startHousekeeping(service.deps, {
    trimChanges: async () => {},
    endKeys: async () => {},
    retention: () => defaultRetention,
    steps: [],
  })
  await housekeeping.clean()
  await housekeeping.close()
}
