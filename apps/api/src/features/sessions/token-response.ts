import type { sessions } from '@rolecall/contract'
import type { Queryable } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import { toMemberJson } from '#responses/member-json'
import { partsHeld, toRoles } from '#responses/roles'
import { readMembership } from './store.ts'

/** A session that was just created, with its tokens in plain text. */
interface Issued {
  readonly token: string
  readonly refreshToken: string
  readonly expiresAt: Date
  readonly memberId: string
  readonly serverId: string
}

/**
 * Returns the response of an exchange: the token pair, the member, and the member's roles in the server.
 *
 * @throws INVALID_CODE if the member has left the server since the session was created
 */
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
