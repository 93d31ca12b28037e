import { fieldsOf, pickFields, type projectSessions } from '@rolecall/contract'
import { momentCursor } from '#platform/db/moment-cursor'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { findPlaces, listStretch, type ProjectSessionRow } from './project-sessions-store.ts'

/**
 * The maximum number of stretches for a page. If thousands of sessions are over, a page may be shorter than requested.
 */
const maxStretches = 20
const maxStretch = 1_000

/** Lists one page of the live sessions of a project, newest first. */
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
  // One session more than requested shows whether there is another page.
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

type Place = Pick<ProjectSessionRow, 'createdAt' | 'id'>

const cursorAfter = ({ createdAt, id }: Place) => momentCursor({ at: createdAt, id })

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
