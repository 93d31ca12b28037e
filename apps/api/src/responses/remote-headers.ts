import { type GroupRule, groupOf } from './groups.ts'
import type { HeldRole } from './roles.ts'

/** The facts about a visitor that a protected application receives in headers. */
export interface Remote {
  readonly user: string
  readonly memberId: string
  readonly name: string
  /** A verified address, or an empty string. */
  readonly email: string
  /** The visitor's roles, highest first. */
  readonly roles: readonly HeldRole[]
  /** The rule that names the groups of these roles. */
  readonly groupRule: GroupRule
}

/**
 * The maximum size of the values of all headers, in bytes. By default, nginx accepts 4 kB for all headers of a
 * response, and other headers need some of that.
 */
const maxBytes = 3_000

/**
 * Percent-encodes the characters that would end a header or make it ambiguous, and spaces at both ends, which would be
 * lost in transit.
 */
const encode = (text: string) =>
  text
    .toWellFormed()
    .replace(/[^\x20-\x7e]|%|^ | $/gu, (character) =>
      character === ' ' ? '%20' : encodeURIComponent(character),
    )

/**
 * Returns the headers for a request that may pass. All six are always set, so that a value from the visitor never
 * reaches the application. If the headers would be too long, leaves out the lowest roles, each with its group and ID.
 */
export function remoteHeaders(remote: Remote): Record<string, string> {
  const { user, memberId, name, email, roles, groupRule } = remote
  const fixed = {
    'remote-user': encode(user),
    'remote-member-id': memberId,
    'remote-name': encode(name),
    'remote-email': encode(email),
  }
  let left = maxBytes - Object.values(fixed).reduce((sum, value) => sum + value.length, 0)
  const groups = new Set<string>()
  const ids: string[] = []
  for (const role of roles) {
    const name = groupOf(groupRule, role)
    const group = name === undefined ? undefined : encode(name).replaceAll(',', '%2C')
    const isNew = group !== undefined && !groups.has(group)
    left -= role.roleId.length + 1 + (isNew ? group.length + 1 : 0)
    if (left < 0) break
    if (isNew) groups.add(group)
    ids.push(role.roleId)
  }
  return { ...fixed, 'remote-groups': [...groups].join(','), 'remote-role-ids': ids.join(',') }
}
