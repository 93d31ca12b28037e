import { refusedLogins } from '@rolecall/contract'
import { nextMomentCursor } from '#platform/db/moment-cursor'
import { periodConditions, readPeriod } from '#platform/http/period'
import type { AdminCaller } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { listRefused } from './store.ts'

/** The reasons that owners see: all except that a member declined to share their identity with the project. */
const { declined: _, ...shownToOwners } = refusedLogins.refusalSteps

/**
 * Lists one page of refused sign-ins, newest first. An owner gets only the refusals at their own projects, and only
 * of members whom the project may know.
 *
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
