import type { Deps } from '../../deps.ts'
import { createKeptSessions } from './kept-sessions.ts'
import {
  finishAnswers,
  readForValidate,
  type ValidateItem,
  type ValidateRow,
  type ValidSession,
} from './live-store.ts'

/** Longest time that validate waits for fresh roles before it answers from the mirror. */
const longestWaitMs = 2_000
/** Roles older than this are not served, whatever the platform does. */
const oldestMirrorMs = 24 * 60 * 60 * 1000

export type RolesSource = 'gateway' | 'rest' | 'mirror'

/** What was read, and how fresh its roles are. */
export interface ReadSession {
  readonly row: ValidateRow
  readonly source: RolesSource
  /** True when the roles are older than anyone should rely on, and the platform does not answer. */
  readonly isTooOld: boolean
}

type ReadDeps = Pick<Deps, 'db' | 'settings' | 'refreshMember'>

/** Reads a key and a session of its project, with roles that are as fresh as the contract asks. */
export function createSessionReader(deps: ReadDeps): (item: ValidateItem) => Promise<ReadSession> {
  const read = createKeptSessions(
    deps.db,
    (items) => readFinished(deps, items),
    ({ session }) => session !== undefined && isFresh(deps, session),
  )

  return async (item) => {
    const row = await read(item)
    if (!row.session || isFresh(deps, row.session)) return answer(deps, row)
    const { serverId, memberId } = row.session
    const refreshed = await withinWait(deps.refreshMember(serverId, memberId))
    return refreshed === 'fresh' ? answer(deps, await read(item), 'rest') : answer(deps, row)
  }
}

/** Reads from the database, and stores the roles that had to be put together for it. */
async function readFinished({ db }: ReadDeps, items: ValidateItem[]): Promise<ValidateRow[]> {
  const rows = await readForValidate(db, items)
  const unfinished = rows.flatMap(({ session }) => (session && !session.isFinished ? [session] : []))
  if (unfinished.length > 0) {
    const serverIds = unfinished.map(({ serverId }) => serverId)
    await finishAnswers(
      db,
      serverIds,
      unfinished.map(({ memberId }) => memberId),
    )
  }
  return rows
}

const isFresh = ({ settings }: ReadDeps, { liveAsOfMs, ageMs }: ValidSession) => {
  const { permissionTtlMs } = settings.current()
  return liveAsOfMs !== null || (permissionTtlMs > 0 && ageMs <= permissionTtlMs)
}

function answer(deps: ReadDeps, row: ValidateRow, justRead?: 'rest'): ReadSession {
  const { session } = row
  if (!session) return { row, source: 'mirror', isTooOld: false }
  const source =
    session.liveAsOfMs !== null ? 'gateway' : (justRead ?? (isFresh(deps, session) ? 'rest' : 'mirror'))
  return { row, source, isTooOld: source === 'mirror' && session.ageMs > oldestMirrorMs }
}

/** The outcome, or undefined when it takes longer than a caller should wait for it. */
async function withinWait<T>(outcome: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, longestWaitMs, undefined)
  })
  try {
    return await Promise.race([outcome, patience])
  } finally {
    clearTimeout(timer)
  }
}
