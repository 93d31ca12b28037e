import { type GroupRule, groupOf } from './groups.ts'
import type { HeldRole } from './roles.ts'

/** The facts about a person that an application receives. */
export interface Remote {
  readonly user: string
  readonly memberId: string
  readonly name: string
  /** A verified address, or empty. */
  readonly email: string
  /** The roles, highest first. */
  readonly roles: readonly HeldRole[]
  /** The names that the project gives to the groups of roles. */
  readonly groupRule: GroupRule
}

/** By default, nginx accepts 4 kB of headers; the rest of a response needs some too. */
const maxBytes = 3_000

/** Encodes characters that would end a header or be ambiguous. Spaces at either end would be lost in transit. */
const encode = (text: string) =>
  text
    .toWellFormed()
    .replace(/[^\x20-\x7e]|%|^ | $/gu, (character) =>
      character === ' ' ? '%20' : encodeURIComponent(character),
    )

/**
 * Returns the headers of a request that may pass: always all six, so that no client can set one. If they would be
 * too long, the lowest roles are left out, group and ID together.
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
