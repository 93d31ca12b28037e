import type { webhooks } from '@rolecall/contract'
import { filterText } from '#audit/filter-text'
import { csvAnswer } from '#platform/csv'
import { sql } from '#platform/db/sql'
import { Answer } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/check-request'
import type { MemberCaller } from '../../callers/callers.ts'
import type { Deps, DownloadEvent, OpenDownload } from '../../deps.ts'
import {
  afterCursor,
  afterRow,
  pageOfSubmissions,
  type SubmissionFilter,
  type SubmissionRow,
} from './submission-list-store.ts'
import { findWebhook, findWebhookId } from './webhook-store.ts'

/** Returns the current roles of a member in a server, or undefined if the member is not there. */
export type LiveRoleIds = (request: {
  readonly projectId: string
  readonly serverId: string
  readonly memberId: string
}) => Promise<readonly string[] | undefined>

/** The maximum number of rows that an export reads at once, so that other requests wait only briefly. */
const exportPageSize = 200

const columns = (['id', 'receivedAt', 'isSigned', 'origin', 'payload'] as const).map((field) => ({
  header: field,
  // White space around JSON has no meaning. It is removed, so that the check for spreadsheet formulas sees the first
  // character.
  value: (row: SubmissionRow) => (field === 'payload' ? row.payload.trim() : row[field]),
}))

/**
 * Lists one page of the submissions to a project's webhook, newest first, for an administrator.
 *
 * @throws WEBHOOK_NOT_FOUND
 */
export async function listSubmissions(
  { db }: Pick<Deps, 'db'>,
  { projectId, webhookId }: { projectId: string; webhookId: string },
  query: webhooks.SubmissionQuery,
): Promise<Answer> {
  const webhook = await findWebhook(db, projectId, webhookId)
  if (!webhook) throw new ApiError('WEBHOOK_NOT_FOUND')
  return page(db, webhook.id, query)
}

/**
 * Exports the submissions of a period as a CSV file, for an administrator. `openDownload` writes the audit entry.
 *
 * @throws WEBHOOK_NOT_FOUND
 */
export async function exportSubmissions(
  { db, openDownload }: Pick<Deps, 'db'> & { openDownload: OpenDownload },
  by: Parameters<OpenDownload>[0],
  { projectId, webhookId }: { projectId: string; webhookId: string },
  period: Period,
): Promise<Answer> {
  const webhook = await findWebhook(db, projectId, webhookId)
  if (!webhook) throw new ApiError('WEBHOOK_NOT_FOUND')
  const rows = openDownload(by, exportEvent(webhook, period), pagesOfRows(db, filterOf(webhookId, period)))
  return csvAnswer({ filename: `submissions-${webhook.slug}`, columns, rows })
}

/**
 * Yields the rows page by page, newest first. Each page begins after the last row of the previous one. Submissions
 * never change, so each submission that existed at the beginning and was not deleted meanwhile is in the file once.
 */
async function* pagesOfRows(db: Deps['db'], filter: SubmissionFilter) {
  for (let last: SubmissionRow | undefined; ; ) {
    const rows = await pageOfSubmissions(db, filter, last ? afterRow(last) : sql`true`, exportPageSize)
    last = rows.at(-1)
    if (!last) return
    yield rows
  }
}

const exportEvent = ({ id, name }: { id: string; name: string }, period: Period): DownloadEvent => ({
  actionType: 'webhook',
  action: 'webhook.export',
  target: { type: 'webhook', id, name },
  summary: `The submissions of inbound webhook ${name} were downloaded as csv: ${filterText(period) || 'all'}.`,
})

/**
 * Lists one page of the submissions for a member who is signed in to the project. The member must currently have one of
 * the webhook's `allowedRoleIds` in the server of the session.
 *
 * @throws WEBHOOK_NOT_FOUND, ROLE_REQUIRED
 */
export async function readSubmissions(
  { db, liveRoleIds }: Pick<Deps, 'db'> & { liveRoleIds: LiveRoleIds },
  { sessionProjectId, serverId, memberId }: MemberCaller,
  idOrSlug: string,
  query: webhooks.SubmissionQuery,
): Promise<Answer> {
  const webhookId = sessionProjectId && (await findWebhookId(db, sessionProjectId, idOrSlug))
  const webhook = webhookId && (await findWebhook(db, sessionProjectId, webhookId))
  if (!webhook) throw new ApiError('WEBHOOK_NOT_FOUND')
  const held = (await liveRoleIds({ projectId: sessionProjectId, serverId, memberId })) ?? []
  if (!webhook.allowedRoleIds.some((roleId) => held.includes(roleId))) {
    throw new ApiError('ROLE_REQUIRED', { projectId: sessionProjectId })
  }
  return page(db, webhook.id, query)
}

/** Returns one page as JSON, with a cursor if there are more submissions. A page may be shorter than `limit`. */
async function page(db: Deps['db'], webhookId: string, query: webhooks.SubmissionQuery): Promise<Answer> {
  const { cursor, limit = 50 } = query
  const filter = filterOf(webhookId, query)
  const rows = await pageOfSubmissions(db, filter, afterCursor(webhookId, cursor), limit + 1)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const hasMore =
    last !== undefined &&
    (rows.length > limit || (await pageOfSubmissions(db, filter, afterRow(last), 1)).length > 0)
  // The payloads are inserted as they are, because they are JSON text.
  const json = `{"data":[${shown.map(toJson).join(',')}],"nextCursor":${JSON.stringify(hasMore ? last.id : null)}}`
  return new Answer(200, json)
}

const toJson = ({ payload, ...row }: SubmissionRow) =>
  `${JSON.stringify(row).slice(0, -1)},"payload":${payload}}`

type Period = Pick<webhooks.SubmissionQuery, 'dateFrom' | 'dateTo'>

const dayMs = 86_400_000

/**
 * Builds the filter of a period, in UTC. A date without a time means the first moment of the day in `dateFrom`, and the
 * last moment of the day in `dateTo`.
 *
 * @throws VALIDATION_FAILED if the period ends before it begins
 */
function filterOf(webhookId: string, { dateFrom, dateTo }: Period): SubmissionFilter {
  const from = dateFrom === undefined ? undefined : new Date(dateFrom.toUpperCase())
  const until = dateTo === undefined ? undefined : new Date(dateTo.toUpperCase())
  const to = until && dateTo?.length === 10 ? new Date(until.getTime() + dayMs - 1) : until
  if (from && to && from > to) {
    throw invalid([{ path: '/dateTo', message: 'must not be before dateFrom', code: 'RANGE' }])
  }
  return { webhookId, from, to }
}
