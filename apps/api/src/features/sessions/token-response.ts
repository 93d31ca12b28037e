import type { sessions } from '@rolecall/contract'
import type { Queryable } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import { toMemberJson } from '#responses/member-json'
import { partsHeld, toRoles } from '#responses/roles'
import { readMembership } from './store.ts'

interface Issued {
  readonly token: string
  readonly refreshToken: string
  readonly expiresAt: Date
  readonly memberId: string
  readonly serverId: string
}

/** Returns the response that carries a new session: the pair, the member, and their roles in that server. */
export async function toTokenResponse(db: Queryable, issued: Issued): Promise<sessions.TokenResponse> {
  const membership = await readMembership(db, issued.serverId, issued.memberId)
  if (!membership) throw new ApiError('INVALID_CODE', { reason: 'membership_ended' })
  const { member, roles } = JSON.parse(
    `{${toMemberJson(membership, partsHeld(membership.roleIds, toRoles(membership.roles)))}}`,
  )
  return {
    token: issued.token,
    refreshToken: issued.refreshToken,
    expiresAt: issued.expiresAt.toISOString(),
    member,
    roles,
  }
}
