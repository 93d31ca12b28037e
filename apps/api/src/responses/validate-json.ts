import { type GroupRule, groupsOf } from './groups.ts'
import { isoTime } from './iso-time.ts'
import { type MemberParts, toMemberJson } from './member-json.ts'
import { partsHeld, type Roles } from './roles.ts'

interface SessionParts {
  readonly id: string
  readonly serverId: string
  readonly createdAtMs: number
  readonly expiresAtMs: number
}

/** Returns the field `session` of a response as JSON. The IDs contain no characters that JSON must escape. */
export const toSessionJson = ({ id, serverId, createdAtMs, expiresAtMs }: SessionParts): string =>
  `"session":{"id":"${id}","serverId":"${serverId}",` +
  `"createdAt":"${isoTime(createdAtMs)}","expiresAt":"${isoTime(expiresAtMs)}"}`

interface ValidateParts {
  readonly member: MemberParts
  readonly roleIds: readonly string[]
  readonly roles: Roles
  readonly groupRule: GroupRule
  readonly sessionJson: string
  readonly asOfMs: number
  readonly source: string
}

/** Returns the body of a `validate` response as JSON. */
export function toValidateJson(parts: ValidateParts): string {
  const held = partsHeld(parts.roleIds, parts.roles)
  const groups = groupsOf(
    parts.groupRule,
    held.map(({ role }) => role),
  )
  return (
    `{${toMemberJson(parts.member, held)},"groups":${JSON.stringify(groups)},${parts.sessionJson},` +
    `"rolesAsOf":"${isoTime(parts.asOfMs)}","rolesSource":"${parts.source}"}`
  )
}
