import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { type ChangePlace, findChangedRoles, listChanged, readHorizon, toServerMember } from './store.ts'

/** Comes before every member. */
const nobody = '0'

const toCursor = ({ xid, memberId }: ChangePlace) => `${xid}-${memberId}`

/** Where a reader begins that is about to read all members: read before them, so that nothing falls in between. */
export async function presentCursor({ db }: Pick<Deps, 'db'>): Promise<string> {
  const row = await readHorizon(db)
  return toCursor({ xid: row?.horizon ?? '0', memberId: nobody })
}

/**
 * What changed in a server after a cursor, in the order of transactions and up to the oldest one that is under way: one
 * that commits late is not passed by. Each member is told as they are now, so that one who changed twice may be told once.
 * @throws CURSOR_UNKNOWN when the cursor is of another state of the database, such as before a restore
 */
export async function memberChanges(
  { db }: Pick<Deps, 'db'>,
  { serverId, changedSince, limit }: { serverId: string; changedSince: string; limit: number },
) {
  const [xid = '0', memberId = nobody] = changedSince.split('-')
  const present = await readHorizon(db)
  if (!present || BigInt(xid) > BigInt(present.end)) throw new ApiError('CURSOR_UNKNOWN')
  const { horizon } = present
  const rows = await listChanged(db, serverId, { xid, memberId }, horizon, limit)
  const last = rows.at(-1)
  const hasMore = rows.length === limit && last !== undefined
  // A horizon never goes back, but one of a standby that took over may lie behind.
  const end = BigInt(horizon) > BigInt(xid) ? { xid: horizon, memberId: nobody } : { xid, memberId }
  const changed = await findChangedRoles(db, serverId, xid)
  return {
    data: rows.filter(({ leftAt }) => leftAt === null).map(toServerMember),
    nextCursor: null,
    changeCursor: toCursor(hasMore ? { xid: last.xid, memberId: last.memberId } : end),
    removed: rows.flatMap(({ memberId: id, leftAt }) =>
      leftAt === null ? [] : [{ memberId: id, leftAt: leftAt.toISOString() }],
    ),
    ...(changed && { roles: changed.roles }),
    hasMore,
  }
}
