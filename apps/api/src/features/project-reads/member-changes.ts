import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { formatChangeCursor, parseChangeCursor, type Seen, seenIn } from './change-cursor.ts'
import { findChangedRoles, listChanged, readPresent, toServerMember } from './store.ts'

/**
 * Returns the cursor for a reader that starts to read all members. It is taken before they are read, so that no change
 * is missed.
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
 * Lists the changes in a server after a cursor, in the order of transactions. A cursor records which transactions its
 * reader has seen, so a late commit is neither skipped nor waited for. Each member is returned in their current state,
 * so two changes may appear as one.
 * @throws CURSOR_UNKNOWN if the cursor belongs to another state of the database, such as before a restore, or if a
 * member was deleted since: a deleted row cannot be returned
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
