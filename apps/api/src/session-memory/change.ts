/** A fact that is another one now, or none any more. */
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
  /** With the roles as they are now. */
  | { readonly kind: 'roles'; readonly serverId: string; readonly roles: readonly Role[] }
  /** Written by a newer version, which may mean anything. */
  | { readonly kind: 'unknown' }

export interface Role {
  readonly id: string
  readonly name: string
  readonly color: number
  readonly position: number
}

/** A membership is named by both of its ends. */
export const membershipId = (serverId: string, memberId: string) => `${serverId}/${memberId}`

/** What a project may do in a server is named by both. */
export const accessId = (projectId: string, serverId: string) => `${projectId}/${serverId}`

/** A row of the change log. */
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
