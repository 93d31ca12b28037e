import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { formatChangeCursor, parseChangeCursor, type Seen, seenIn } from './change-cursor.ts'
import { findChangedRoles, listChanged, readPresent, toServerMember } from './store.ts'

/** Where a reader begins that is about to read all members: read before them, so that nothing falls in between. */
export async function presentCursor({ db }: Pick<Deps, 'db'>, serverId: string): Promise<string> {
  const { seen, deletions } = await readNow(db, serverId)
  return formatChangeCursor({ seen, page: undefined, deletions })
}

async function readNow(db: Deps['db'], serverId: string): Promise<{ seen: Seen; deletions: number }> {
  const { snapshot = '', deletions = 0 } = (await readPresent(db, serverId)) ?? {}
  return { seen: seenIn(snapshot), deletions }
}

/**
 * What changed in a server after a cursor, in the order of transactions. A cursor says which transactions its reader has
 * seen, so one that commits late is neither passed by nor waited for. Each member is told as they are now, so that one who
 * changed twice may be told once.
 * @throws CURSOR_UNKNOWN when the cursor is of another state of the database, such as before a restore, and when somebody was
 * deleted since: what is not there cannot be told
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
