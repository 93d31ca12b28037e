import { setTimeout as sleep } from 'node:timers/promises'
import { gather } from '#platform/db/gather'

import type { Deps } from '../../deps.ts'
import { createKeptSessions } from './kept-sessions.ts'
import {
  finishAnswers,
  readForValidate,
  type ValidateItem,
  type ValidateRow,
  type ValidSession,
} from './store.ts'

/** Longest time that validate waits for fresh roles before it answers from the mirror. */
const longestWaitMs = 2_000
/** Roles older than this are not served, whatever the platform does. */
const oldestMirrorMs = 24 * 60 * 60 * 1000

export type RolesSource = 'gateway' | 'rest' | 'mirror'

/** A finished answer, or why there is none. */
export interface ReadSession {
  readonly row: ValidateRow
  readonly session: (ValidSession & { readonly rolesJson: string; readonly source: RolesSource }) | undefined
  /** True when the roles are older than anyone should rely on, and the platform does not answer. */
  readonly tooOld: boolean
}

type ReadDeps = Pick<Deps, 'db' | 'settings' | 'refreshMember'>

/** Reads a key and a session of its project, with roles that are as fresh as the contract asks. */
export function createSessionReader(deps: ReadDeps): (item: ValidateItem) => Promise<ReadSession> {
  const readKept = createKeptSessions(deps.db, (items) => readFinished(deps, items))
  const isUsable = ({ session }: ValidateRow) => session !== undefined && isFresh(deps, session)
  // One run at a time: what is kept is only as good as the order in which changes are read.
  const read = gather((items: ValidateItem[]) => readKept(items, isUsable), 1)

  return async (item) => {
    const row = await read(item)
    if (!row.session || isFresh(deps, row.session)) return answer(deps, row)
    const { serverId, memberId } = row.session
    const refreshed = await Promise.race([deps.refreshMember(serverId, memberId), sleep(longestWaitMs)])
    return refreshed === 'fresh' ? answer(deps, await read(item), 'rest') : answer(deps, row)
  }
}

/** Finishes what has no finished answer, and reads again: at most twice, should roles change meanwhile. */
async function readFinished({ db }: ReadDeps, items: ValidateItem[]): Promise<ValidateRow[]> {
  let rows = await readForValidate(db, items)
  for (let tries = 0; tries < 3; tries++) {
    const unfinished = rows.flatMap(({ session }) => (session && session.rolesJson === null ? [session] : []))
    if (unfinished.length === 0) break
    await finishAnswers(
      db,
      unfinished.map(({ serverId }) => serverId),
      unfinished.map(({ memberId }) => memberId),
    )
    rows = await readForValidate(db, items)
  }
  return rows
}

const isFresh = ({ settings }: ReadDeps, { liveAsOfMs, ageMs }: ValidSession) => {
  const { permissionTtlMs } = settings.current()
  return liveAsOfMs !== null || (permissionTtlMs > 0 && ageMs <= permissionTtlMs)
}

function answer(deps: ReadDeps, row: ValidateRow, justRead?: 'rest'): ReadSession {
  const { session } = row
  if (!session || session.rolesJson === null) return { row, session: undefined, tooOld: false }
  const source =
    session.liveAsOfMs !== null ? 'gateway' : (justRead ?? (isFresh(deps, session) ? 'rest' : 'mirror'))
  return {
    row,
    session: { ...session, rolesJson: session.rolesJson, source },
    tooOld: source === 'mirror' && session.ageMs > oldestMirrorMs,
  }
}
