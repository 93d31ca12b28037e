import { fieldsOf, pickFields, type projectSessions } from '@rolecall/contract'
import { momentCursor } from '#platform/db/moment-cursor'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { findPlaces, listStretch, type ProjectSessionRow } from './project-sessions-store.ts'

/**
 * The maximum number of reads for a page. If thousands of consecutive sessions are no longer live, a page can be
 * shorter than requested, or even empty, although there are more pages.
 */
const maxStretches = 20
/** The number of sessions in each read after the first. The first read is as large as the page. */
const maxStretch = 1_000

/**
 * Lists one page of the live sessions of a project, newest first.
 *
 * @throws PROJECT_NOT_FOUND
 */
export async function listProjectSessions(
  { db }: Pick<Deps, 'db'>,
  projectId: string,
  { cursor, memberId, serverId, limit = 50 }: projectSessions.ProjectSessionQuery,
) {
  const places = await findPlaces(db, projectId)
  if (!places) throw new ApiError('PROJECT_NOT_FOUND')
  const serverIds = places.serverIds.filter((id) => serverId === undefined || id === serverId)
  const found: ProjectSessionRow[] = []
  let last: Place | undefined = cursor === undefined ? undefined : placeOf(cursor)
  let isEnd = serverIds.length === 0
  // Reads one session more than requested, which shows whether there is another page.
  for (let n = 0, size = limit + 1; n < maxStretches && !isEnd && found.length <= limit; n++) {
    const stretch = await listStretch(db, { projectId, memberId, serverIds, after: last, limit: size })
    for (const row of stretch) if (row.isLive) found.push(row)
    isEnd = stretch.length < size
    last = stretch.at(-1) ?? last
    size = maxStretch
  }
  const next = found.length > limit ? found[limit - 1] : isEnd ? undefined : last
  return { data: found.slice(0, limit).map(toProjectSession), nextCursor: next ? cursorAfter(next) : null }
}

/** A position in the list: the session before it. */
type Place = Pick<ProjectSessionRow, 'createdAt' | 'id'>

const cursorAfter = ({ createdAt, id }: Place) => momentCursor({ at: createdAt, id })

/** Parses a cursor, whose form the contract has checked: milliseconds, a hyphen, and the session ID. */
function placeOf(cursor: string): Place {
  const cut = cursor.indexOf('-')
  return { createdAt: new Date(Number(cursor.slice(0, cut))), id: cursor.slice(cut + 1) }
}

const toProjectSession = (row: ProjectSessionRow): projectSessions.ProjectSession => ({
  id: row.id,
  kind: row.kind,
  memberId: row.memberId,
  ...pickFields(fieldsOf('projectSession'), row),
  serverId: row.serverId,
  serverName: row.serverName,
  createdAt: row.createdAt.toISOString(),
  refreshedAt: row.refreshedAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  clientInfo: { ipAddress: row.ip, userAgent: row.userAgent },
})
