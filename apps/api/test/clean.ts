import { startHousekeeping } from '../src/features/housekeeping/start-housekeeping.ts'
import { defaultRetention } from './retention.ts'
import type { World } from './service.ts'

/** Does the work of one minute of housekeeping: deletes what has expired. */
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
