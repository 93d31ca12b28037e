import type { projectReads } from '@rolecall/contract'
import type { MemberRow } from './store.ts'

/**
 * A member as a project sees it. The e-mail was given to this service at some login; a project gets it of
 * those who logged in to that project.
 */
export function toServerMember(row: MemberRow): projectReads.ServerMember {
  const { member, roles } = JSON.parse(
    `{"member":{${row.memberJson},"syncedAt":"${row.syncedAt.toISOString()}",${row.rolesJson}}`,
  )
  return {
    ...member,
    email: row.hasSession ? member.email : null,
    roles,
    serverJoinedAt: row.joinedAt?.toISOString() ?? null,
  }
}
