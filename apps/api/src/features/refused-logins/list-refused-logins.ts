import { refusedLogins } from '@rolecall/contract'
import { nextMomentCursor } from '#platform/db/moment-cursor'
import { periodConditions, readPeriod } from '#platform/http/period'
import type { AdminCaller } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { listRefused } from './store.ts'

const { declined: _, ...shownToOwners } = refusedLogins.refusalSteps

/**
 * Lists refused sign-ins, newest first, with a cursor to the next page. Owners get only those of their projects,
 * without members who declined to share their identity with the project.
 * @throws VALIDATION_FAILED if the period ends before it begins
 */
export async function listRefusedLogins(
  { db }: Pick<Deps, 'db'>,
  caller: AdminCaller,
  { from, to, limit = 50, ...filters }: refusedLogins.RefusedLoginsQuery,
) {
  const period = periodConditions(readPeriod({ from, to }, 'from', 'to'))
  const owner = caller.kind === 'owner' ? caller : undefined
  const codes = Object.keys(owner ? shownToOwners : refusedLogins.refusalSteps)
  const rows = await listRefused(db, { ...filters, codes, period, owner }, limit)
  return {
    data: rows.map(({ id, at, ...row }) => ({
      at: at.toISOString(),
      ...row,
      step: refusedLogins.refusalSteps[row.code],
    })),
    nextCursor: nextMomentCursor(rows, limit),
  }
}
