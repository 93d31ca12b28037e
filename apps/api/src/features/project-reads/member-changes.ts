import { ApiError } from '#platform/http/api-error'
import { toServerMember } from '#responses/server-member'
import type { Deps } from '../../deps.ts'
import { formatChangeCursor, parseChangeCursor, type Seen, seenIn } from './change-cursor.ts'
import { findChangedRoles, listChanged, readPresent } from './store.ts'

/**
 * Returns the cursor for a reader that is about to list all members. Call it before the first page is read, so that the
 * reader misses no change.
 */
export async function presentCursor({ db }: Pick<Deps, 'db'>, serverId: string): Promise<string> {
  const { seen, deletions } = await readNow(db, serverId)
  return formatChangeCursor({ seen, page: undefined, deletions })
}

async function readNow(db: Deps['db'], serverId: string): Promise<{ seen: Seen; deletions: number }> {
  const { snapshot = '', deletions = 0 } = (await readPresent(db, serverId)) ?? {}
  return { seen: seenIn(snapshot), deletions }
}

/**
 * Lists the members of a server who changed after a cursor, in the order of transactions. The cursor records which
 * transactions the reader has seen, so a transaction that commits late is neither skipped nor waited for. Members are
 * returned in their current state, so several changes to a member may appear as one.
 *
 * @throws CURSOR_UNKNOWN if the database was restored to an earlier state, or if a membership was deleted since: a
 * deletion leaves no row to return, so the reader has to list all members again
 */
export async function memberChanges(
  { db }: Pick<Deps, 'db'>,
  { serverId, changedSince, limit }: { serverId: string; changedSince: string; limit: number },
) {
  const { seen, page, deletions } = parseChangeCursor(changedSince)
  const present = await readNow(db, serverId)
  const until = page?.until ?? present.seen
  const isOfAnother = seen.end > present.seen.end || until.end > present.seen.end
  if (isOfAnother || deletions !== present.deletions) throw new ApiError('CURSOR_UNKNOWN')
  const after = page ?? { xid: '0', memberId: '' }
  const rows = await listChanged(db, serverId, { seen, until, after, limit })
  const last = rows.length === limit ? rows.at(-1) : undefined
  const changed = page ? undefined : await findChangedRoles(db, serverId, seen)
  return {
    data: rows.filter(({ leftAt }) => leftAt === null).map(toServerMember),
    nextCursor: null,
    changeCursor: formatChangeCursor(
      last
        ? { seen, page: { until, xid: last.xid, memberId: last.memberId }, deletions }
        : { seen: until, page: undefined, deletions },
    ),
    removed: rows.flatMap(({ memberId: id, leftAt }) =>
      leftAt === null ? [] : [{ memberId: id, leftAt: leftAt.toISOString() }],
    ),
    ...(changed && { roles: changed.roles }),
    hasMore: last !== undefined,
  }
}
