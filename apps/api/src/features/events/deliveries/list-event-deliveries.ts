import type { eventDeliveries } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../../deps.ts'
import { parseEventId } from '../position.ts'
import { toEventDelivery } from './event-delivery.ts'
import { findReceiver, listEventDeliveries as listRows } from './log-store.ts'

/** One page of what was, or is to be, sent to a project. */
export async function listEventDeliveries(
  { db }: Pick<Deps, 'db'>,
  projectId: string,
  { status, cursor, limit = 50 }: eventDeliveries.EventDeliveryQuery,
) {
  if (!(await findReceiver(db, projectId))) throw new ApiError('PROJECT_NOT_FOUND')
  const before = cursor === undefined ? undefined : parseEventId(cursor)
  // One more than asked for says whether there is another page.
  const rows = await listRows(db, { projectId, status, before, limit: limit + 1 })
  const data = rows.slice(0, limit).map(toEventDelivery)
  return { data, nextCursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null }
}
