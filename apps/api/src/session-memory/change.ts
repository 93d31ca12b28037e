import type { Role } from '#responses/roles'

/** A cached value that changed or was deleted. */
export type Change =
  | { readonly kind: 'session'; readonly tokenDigest: string }
  | { readonly kind: 'membership'; readonly id: string }
  | { readonly kind: 'member'; readonly memberId: string }
  | { readonly kind: 'key'; readonly keyDigest: string }
  | { readonly kind: 'project'; readonly projectId: string }
  | { readonly kind: 'access'; readonly id: string }
  | { readonly kind: 'server'; readonly serverId: string }
  /** An access token of OpenID Connect, by the digest of its record. */
  | { readonly kind: 'token'; readonly digest: string }
  /** A change of a server's roles, with the current ones. */
  | { readonly kind: 'roles'; readonly serverId: string; readonly roles: readonly Role[] }
  /** A change that a newer version wrote, with unknown meaning. */
  | { readonly kind: 'unknown' }

/** Returns the ID of a membership in the change log. */
export const membershipId = (serverId: string, memberId: string) => `${serverId}/${memberId}`

/** Returns the ID of a project's access to a server in the change log. */
export const accessId = (projectId: string, serverId: string) => `${projectId}/${serverId}`

/** Parses a row of the change log. */
export function toChange(kind: string, fact: string, rolesOf: ReadonlyMap<string, readonly Role[]>): Change {
  switch (kind) {
    case 'session':
      return { kind, tokenDigest: fact }
    case 'membership':
    case 'access':
      return { kind, id: fact }
    case 'member':
      return { kind, memberId: fact }
    case 'key':
      return { kind, keyDigest: fact }
    case 'project':
      return { kind, projectId: fact }
    case 'server':
      return { kind, serverId: fact }
    case 'token':
      return { kind, digest: fact }
    case 'roles':
      return { kind, serverId: fact, roles: rolesOf.get(fact) ?? [] }
    default:
      return { kind: 'unknown' }
  }
}
