import type { notifications } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { toDelivery } from './delivery.ts'
import { findProject, listDeliveries as listRows } from './store.ts'

/** One page of what was, or is to be, posted for a project. */
export async function listDeliveries(
  { db }: Pick<Deps, 'db'>,
  projectId: string,
  { status, cursor, limit = 50 }: notifications.DeliveryQuery,
) {
  if (!(await findProject(db, projectId))) throw new ApiError('PROJECT_NOT_FOUND')
  // One more than asked for says whether there is another page.
  const rows = await listRows(db, { projectId, status, cursor, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  return {
    data: shown.map(toDelivery),
    nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
  }
}
