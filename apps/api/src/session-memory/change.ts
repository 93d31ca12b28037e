import type { Role } from '#responses/roles'

/** An entry of the change log: a cached value that has changed or was deleted. */
export type Change =
  | { readonly kind: 'session'; readonly tokenDigest: string }
  | { readonly kind: 'membership'; readonly id: string }
  | { readonly kind: 'member'; readonly memberId: string }
  | { readonly kind: 'key'; readonly keyDigest: string }
  | { readonly kind: 'project'; readonly projectId: string }
  | { readonly kind: 'access'; readonly id: string }
  | { readonly kind: 'server'; readonly serverId: string }
  /** An OpenID Connect access token, by the digest of its record. */
  | { readonly kind: 'token'; readonly digest: string }
  /** The roles of a server have changed. Contains all current roles. */
  | { readonly kind: 'roles'; readonly serverId: string; readonly roles: readonly Role[] }
  /** A kind of change that this version does not know, because a newer version wrote it. It clears the whole cache. */
  | { readonly kind: 'unknown' }

/** Returns the ID that a membership has in the change log. */
export const membershipId = (serverId: string, memberId: string) => `${serverId}/${memberId}`

/** Returns the ID that a project's access to a server has in the change log. */
export const accessId = (projectId: string, serverId: string) => `${projectId}/${serverId}`

/** Converts a row of the change log. `rolesOf` contains the current roles of each server with a change of roles. */
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
