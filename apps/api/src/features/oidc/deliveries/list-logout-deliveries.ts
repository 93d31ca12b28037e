import type { logoutDeliveries } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../../deps.ts'
import { findClientToTell, listLogouts } from './log-store.ts'
import { toLogoutDelivery } from './logout-delivery.ts'

/** One page of the logouts that a client was told of, or is to be. */
export async function listLogoutDeliveries(
  { db }: Pick<Deps, 'db'>,
  projectId: string,
  { status, cursor, limit = 50 }: logoutDeliveries.LogoutDeliveryQuery,
) {
  if (!(await findClientToTell(db, projectId))) throw new ApiError('PROJECT_NOT_FOUND')
  // One more than asked for says whether there is another page.
  const rows = await listLogouts(db, { projectId, status, cursor, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  return {
    data: shown.map(toLogoutDelivery),
    nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
  }
}
