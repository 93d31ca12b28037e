import type { By, RecordAudit } from '#audit/event'
import type { Database, Queryable } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { KindName } from './kind.ts'
import {
  type DeliveryKey,
  type DeliveryRow,
  findDelivery,
  listDeliveries,
  requeueDelivery,
} from './log-store.ts'

/** The facts about a project that a list or a resend needs. */
interface LoggedProject {
  readonly id: string
  readonly name: string
  readonly hasAddress: boolean
  /** Fields of the content that a resend replaces. */
  readonly resendWith?: Readonly<Record<string, unknown>>
}

/** The parts of the delivery log that differ by kind of message. */
export interface DeliveryLog<Item> {
  readonly kind: KindName
  readonly findProject: (db: Queryable, id: string) => Promise<LoggedProject | undefined>
  readonly addressMissing: 'EVENTS_URL_MISSING' | 'WEBHOOK_URL_MISSING' | 'LOGOUT_URI_MISSING'
  /** Parses the ID of a delivery. Returns undefined if no delivery can have this ID. */
  readonly keyOf: (id: string) => DeliveryKey | undefined
  readonly toItem: (row: DeliveryRow) => Item
  /** Returns the texts of the audit entry for a resend. */
  readonly resent: (id: string, projectName: string) => { readonly action: string; readonly summary: string }
}

interface DeliveryQuery {
  readonly status?: 'pending' | 'delivered' | 'failed' | undefined
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
}

/**
 * Returns one page of the messages to a project, newest first.
 *
 * @throws PROJECT_NOT_FOUND
 */
export async function listLog<Item extends { readonly id: string }>(
  { db }: { readonly db: Database },
  log: DeliveryLog<Item>,
  projectId: string,
  { status, cursor, limit = 50 }: DeliveryQuery,
) {
  if (!(await log.findProject(db, projectId))) throw new ApiError('PROJECT_NOT_FOUND')
  const after = cursor === undefined ? undefined : log.keyOf(cursor)
  // One additional row shows whether there is another page.
  const rows = await listDeliveries(db, { kind: log.kind, projectId }, { status, after, limit: limit + 1 })
  const data = rows.slice(0, limit).map(log.toItem)
  return { data, nextCursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null }
}

/**
 * Sends a message again, to the current address of the project. A message that is still waiting stays as it is.
 *
 * @throws PROJECT_NOT_FOUND, DELIVERY_NOT_FOUND, or `addressMissing` of the log
 */
export function resend<Item>(
  { db, audit }: { readonly db: Database; readonly audit: { readonly record: RecordAudit } },
  log: DeliveryLog<Item>,
  by: By,
  { projectId, id }: { projectId: string; id: string },
): Promise<Item> {
  const key = log.keyOf(id)
  return db.transaction(async (tx) => {
    const project = await log.findProject(tx, projectId)
    if (!project) throw new ApiError('PROJECT_NOT_FOUND')
    const of = { kind: log.kind, projectId }
    const before = key && (await findDelivery(tx, of, key))
    if (!before) throw new ApiError('DELIVERY_NOT_FOUND')
    if (!project.hasAddress) throw new ApiError(log.addressMissing)
    if ((await requeueDelivery(tx, before.id, project.resendWith)) > 0)
      await audit.record(tx, {
        ...by,
        actionType: 'webhook',
        target: { type: 'project', id: project.id, name: project.name },
        ...log.resent(id, project.name),
      })
    return log.toItem((await findDelivery(tx, of, key)) ?? before)
  })
}

/** Returns the state of a delivery in the form of the API. */
export const toDeliveryState = (row: DeliveryRow) => ({
  status: row.deliveredAt
    ? ('delivered' as const)
    : row.failedAt
      ? ('failed' as const)
      : ('pending' as const),
  attempts: row.attempts,
  lastStatus: row.lastStatus,
  lastError: row.lastError,
  createdAt: row.createdAt.toISOString(),
  lastAttemptAt: row.lastAttemptAt?.toISOString() ?? null,
  nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
  deliveredAt: row.deliveredAt?.toISOString() ?? null,
  failedAt: row.failedAt?.toISOString() ?? null,
})
