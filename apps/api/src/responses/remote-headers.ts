import { type GroupRule, groupOf } from './groups.ts'
import type { HeldRole } from './roles.ts'

/** All that an application is told of a person. */
export interface Remote {
  readonly user: string
  readonly memberId: string
  readonly name: string
  /** A verified one, or empty. */
  readonly email: string
  /** Highest first. */
  readonly roles: readonly HeldRole[]
  /** The names that the project gives to the groups of roles. */
  readonly groupRule: GroupRule
}

/** nginx, as it comes, takes 4 kB of headers; the rest of an answer needs some too. */
const maxBytes = 3_000

/** What would end a header or be read in two ways. Blanks at an end would be lost on the way. */
const encode = (text: string) =>
  text
    .toWellFormed()
    .replace(/[^\x20-\x7e]|%|^ | $/gu, (character) =>
      character === ' ' ? '%20' : encodeURIComponent(character),
    )

/**
 * The headers of a request that may pass: always all six, so that none is left to whoever sent the request. Where they
 * would be too long, the lowest roles are left out, group and id together.
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
