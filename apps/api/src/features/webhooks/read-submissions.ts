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
  behindCursor,
  behindRow,
  pageOfSubmissions,
  type SubmissionFilter,
  type SubmissionRow,
} from './submission-list-store.ts'
import { findWebhook, findWebhookId } from './webhook-store.ts'

/** Returns the roles that a member of a server holds right now; undefined if there is no such member. */
export type LiveRoleIds = (asked: {
  readonly projectId: string
  readonly serverId: string
  readonly memberId: string
}) => Promise<readonly string[] | undefined>

/** Small enough to delay other requests only slightly; a page of long payloads ends sooner. */
const exportPageSize = 200

const columns = (['id', 'receivedAt', 'isSigned', 'origin', 'payload'] as const).map((field) => ({
  header: field,
  // Removes spaces around JSON: they have no meaning, and a check for formulas in spreadsheets would otherwise have to
  // skip them.
  value: (row: SubmissionRow) => (field === 'payload' ? row.payload.trim() : row[field]),
}))

/** Lists one page of the submissions to a project's webhook. */
export async function listSubmissions(
  { db }: Pick<Deps, 'db'>,
  { projectId, webhookId }: { projectId: string; webhookId: string },
  query: webhooks.SubmissionQuery,
): Promise<Answer> {
  const webhook = await findWebhook(db, projectId, webhookId)
  if (!webhook) throw new ApiError('WEBHOOK_NOT_FOUND')
  return page(db, webhook.id, query)
}

/** Exports the same submissions as a file. */
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
 * Reads page by page after the last row. A submission never changes and never appears after an older one. So each
 * submission that existed at the beginning is in the file once, and other requests wait for one page at most.
 */
async function* pagesOfRows(db: Deps['db'], filter: SubmissionFilter) {
  for (let last: SubmissionRow | undefined; ; ) {
    const rows = await pageOfSubmissions(db, filter, last ? behindRow(last) : sql`true`, exportPageSize)
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
 * Lists one page for a member of the project who holds, right now and in the server of the session, a role that may
 * read them.
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

async function page(db: Deps['db'], webhookId: string, query: webhooks.SubmissionQuery): Promise<Answer> {
  const { cursor, limit = 50 } = query
  const filter = filterOf(webhookId, query)
  const rows = await pageOfSubmissions(db, filter, behindCursor(webhookId, cursor), limit + 1)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const hasMore =
    last !== undefined &&
    (rows.length > limit || (await pageOfSubmissions(db, filter, behindRow(last), 1)).length > 0)
  // Payloads are JSON already: parsing and serializing a page of them would be wasted work.
  const json = `{"data":[${shown.map(toJson).join(',')}],"nextCursor":${JSON.stringify(hasMore ? last.id : null)}}`
  return new Answer(200, json)
}

const toJson = ({ payload, ...row }: SubmissionRow) =>
  `${JSON.stringify(row).slice(0, -1)},"payload":${payload}}`

type Period = Pick<webhooks.SubmissionQuery, 'dateFrom' | 'dateTo'>

const dayMs = 86_400_000

/**
 * Builds the filter of a period. A date without a time means its first moment at the start of a period, and the whole
 * day at the end, in UTC.
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
