import { type Member, memberField, storedFields } from '@rolecall/contract'

const profileClaims = storedFields.flatMap((name) => {
  const { claim } = memberField(name)
  return claim === undefined ? [] : [{ name, claim }]
})

/** The claims that a client receives for each scope. */
export const claimsByScope = {
  openid: ['sub'],
  profile: [
    'name',
    'preferred_username',
    'nickname',
    ...profileClaims.map(({ claim }) => claim),
    'updated_at',
  ],
  email: ['email', 'email_verified'],
  roles: ['roles', 'groups', 'role_ids', 'server_id', 'is_club_member', 'roles_as_of'],
} as const

/** The scopes that a client can request. */
export const scopes = [...Object.keys(claimsByScope), 'offline_access']

/** A member and their session: the values that claims are made of. */
export interface ClaimedMember {
  readonly session: { readonly memberId: string; readonly serverId: string }
  readonly member: Member
  /** The name under which the project shows the member. */
  readonly name: string
  readonly roles: readonly { readonly roleId: string; readonly roleName: string }[]
  /** The names of the groups that these roles give in this project. */
  readonly groups: readonly string[]
  readonly rolesAsOf: string
}

/** Claim values by claim name. */
export interface Claims extends Readonly<Record<string, unknown>> {
  readonly sub: string
}

/**
 * Returns all claims about a member. An ID token is issued with `withRoles` only if the project requests that, because
 * roles in a token become stale.
 */
export function claimsOf(
  { session, member, name, roles, groups, rolesAsOf }: ClaimedMember,
  { withRoles }: { withRoles: boolean },
): Claims {
  return {
    sub: session.memberId,
    name,
    preferred_username: member.username,
    nickname: name,
    ...Object.fromEntries(
      profileClaims.flatMap(({ name, claim }) => (member[name] === null ? [] : [[claim, member[name]]])),
    ),
    updated_at: Math.floor(Date.parse(member.updatedAt) / 1_000),
    // Discord returns only verified addresses, so a member with an address has a verified one.
    ...(member.email !== null && { email: member.email, email_verified: true }),
    ...(withRoles && {
      roles: roles.map(({ roleName }) => roleName),
      groups,
      role_ids: roles.map(({ roleId }) => roleId),
      server_id: session.serverId,
      is_club_member: member.isClubMember,
      roles_as_of: rolesAsOf,
    }),
  }
}

const namesInScope = (scope: string): string[] =>
  scope
    .split(' ')
    .flatMap((one) => (one in claimsByScope ? claimsByScope[one as keyof typeof claimsByScope] : []))

/** Returns only the claims that these scopes permit. */
export function claimsInScope(claims: Claims, scope: string): Record<string, unknown> {
  const names = new Set(namesInScope(scope))
  return Object.fromEntries(Object.entries(claims).filter(([name]) => names.has(name)))
}

/**
 * Returns the claims that these scopes permit, in the order of the scopes. The OpenID Connect library lists them in
 * this order at its userinfo endpoint.
 */
export const claimsByOrderOfScope = (claims: Claims, scope: string): Record<string, unknown> =>
  Object.fromEntries(
    namesInScope(scope).flatMap((name) => (Object.hasOwn(claims, name) ? [[name, claims[name]]] : [])),
  )
