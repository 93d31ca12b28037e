import { refusedLogins } from '@rolecall/contract'
import { allOf, type Sql, sql } from '#platform/db/sql'
import { momentCursor, readMomentCursor } from '#platform/http/moment-cursor'
import { periodConditions, readPeriod } from '#platform/http/period'
import type { Deps } from '../../deps.ts'
import type { AdminCaller } from '../callers.ts'
import { listOwnedProjects } from '../owners-store.ts'
import { listRefused } from './store.ts'

const codes = Object.keys(refusedLogins.refusalSteps)

/**
 * Lists refused sign-ins, newest first, with a cursor to the next page. Owners get those of their projects only.
 * @throws VALIDATION_FAILED when the period ends before it begins
 */
export async function listRefusedLogins(
  { db }: Pick<Deps, 'db'>,
  caller: AdminCaller,
  query: refusedLogins.RefusedLoginsQuery,
) {
  const { limit = 50 } = query
  const conditions = conditionsOf(query)
  if (caller.kind === 'owner') {
    const owned = (await listOwnedProjects(db, caller)).map(({ id }) => id)
    conditions.push(sql`f.project_id = any(${owned}::uuid[])`)
  }
  const rows = await listRefused(db, codes, allOf(conditions), limit)
  const last = rows.length === limit ? rows.at(-1) : undefined
  return {
    data: rows.map(({ id, at, ...row }) => ({
      at: at.toISOString(),
      ...row,
      step: refusedLogins.refusalSteps[row.code],
    })),
    nextCursor: last ? momentCursor(last) : null,
  }
}

function conditionsOf(query: refusedLogins.RefusedLoginsQuery): Sql[] {
  const { search, projectId, cursor } = query
  const conditions = periodConditions(readPeriod(query, 'from', 'to'))
  if (projectId !== undefined) conditions.push(sql`f.project_id = ${projectId}`)
  if (search !== undefined)
    conditions.push(sql`(position(lower(${search}) in u.search_text) > 0 or u.id = ${search})`)
  if (cursor !== undefined) {
    const { at, id } = readMomentCursor(cursor)
    conditions.push(sql`(f.at, f.id) < (${at}, ${id}::uuid)`)
  }
  return conditions
}
