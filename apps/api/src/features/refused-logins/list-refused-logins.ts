import { refusedLogins } from '@rolecall/contract'
import { momentCursor } from '#platform/db/moment-cursor'
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
  { from, to, limit = 50, ...filters }: refusedLogins.RefusedLoginsQuery,
) {
  const period = periodConditions(readPeriod({ from, to }, 'from', 'to'))
  const ownedIds =
    caller.kind === 'owner' ? (await listOwnedProjects(db, caller)).map(({ id }) => id) : undefined
  const rows = await listRefused(db, { ...filters, codes, period, ownedIds }, limit)
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
