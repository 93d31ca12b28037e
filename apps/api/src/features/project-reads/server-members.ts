import type { projectReads } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import type { ProjectCaller } from '../callers.ts'
import { checkScope } from './check-scope.ts'
import { currentMember } from './current-member.ts'
import { toServerMember } from './server-member.ts'
import { pageOfMembers } from './store.ts'

/** A page of the current members of a server. The cursor is the last id, so it survives its member. */
export async function listServerMembers(
  { db }: Pick<Deps, 'db'>,
  caller: ProjectCaller,
  { serverId, cursor = '', limit }: { serverId: string; cursor?: string; limit: number },
) {
  await checkScope({ db }, caller, serverId, 'read_members')
  const { projectId } = caller
  // One more than asked for tells whether there is a next page.
  const rows = await pageOfMembers(db, { projectId, serverId, after: cursor, limit: limit + 1 })
  const page = rows.slice(0, limit)
  return {
    data: page.map(toServerMember),
    nextCursor: rows.length > limit ? (page.at(-1)?.memberId ?? null) : null,
  }
}

/** One member of a server, with the roles they hold now. */
export async function readServerMember(
  deps: Pick<Deps, 'db' | 'settings' | 'refreshMember'>,
  caller: ProjectCaller,
  { serverId, memberId }: { serverId: string; memberId: string },
): Promise<projectReads.ServerMember> {
  await checkScope(deps, caller, serverId, 'read_members')
  const row = await currentMember(deps, { projectId: caller.projectId, serverId, memberId })
  if (!row) throw new ApiError('MEMBER_NOT_FOUND')
  return toServerMember(row)
}
