import { call } from '../../client.ts'
import { givenAdmin } from '../../given.ts'
import type { World } from '../../service.ts'
import type { Party } from './party.ts'

/** A logout token that the service delivers to a party. */
interface Logout {
  readonly id: string
  readonly status: string
  readonly attempts: number
}

/** Returns how to list the logout tokens for a party, newest first. */
export async function logoutsOf(world: World, { project }: Party): Promise<() => Promise<readonly Logout[]>> {
  const path = `/api/admin/projects/${project.id}/logout-deliveries`
  const token = await givenAdmin(world)
  return async () => (await call(world.url, 'GET', path, { token })).body.data
}
