import { type Member, memberField, storedFields } from '@rolecall/contract'

const profileClaims = storedFields.flatMap((name) => {
  const { claim } = memberField(name)
  return claim === undefined ? [] : [{ name, claim }]
})

/** The claims that each scope gives a client. */
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

/** A member in their session, as far as claims state it. */
export interface ClaimedMember {
  readonly session: { readonly memberId: string; readonly serverId: string }
  readonly member: Member
  /** The name that the member is shown by. */
  readonly name: string
  readonly roles: readonly { readonly roleId: string; readonly roleName: string }[]
  /** The names that the project gives to the groups of these roles. */
  readonly groups: readonly string[]
  readonly rolesAsOf: string
}

/** Claims by their names. */
export interface Claims extends Readonly<Record<string, unknown>> {
  readonly sub: string
}

/** Returns the claims of a member. Roles in an ID token become stale, so it has them only if the project wants that. */
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
    // The platform verifies addresses, so a member has no address here until the platform has verified it.
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

/** Returns the claims that these scopes give a client. */
export function claimsInScope(claims: Claims, scope: string): Record<string, unknown> {
  const names = new Set(namesInScope(scope))
  return Object.fromEntries(Object.entries(claims).filter(([name]) => names.has(name)))
}

/** Returns the same claims in the order of the scopes, as the library lists them at userinfo. */
export const claimsByOrderOfScope = (claims: Claims, scope: string): Record<string, unknown> =>
  Object.fromEntries(
    namesInScope(scope).flatMap((name) => (Object.hasOwn(claims, name) ? [[name, claims[name]]] : [])),
  )
