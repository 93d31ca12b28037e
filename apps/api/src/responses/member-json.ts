import { type FieldsOf, fieldsOf, pickFields } from '@rolecall/contract'
import { isoTime } from './iso-time.ts'
import { jsonOfRoles, type RolePart } from './roles.ts'

type ProfileField = Exclude<keyof FieldsOf<'session'>, 'displayName'>

/**
 * Fields of a member that are the same in every server, in the order of the response. The display name differs by
 * server.
 */
export const profileFields = fieldsOf('session').filter(
  (name): name is ProfileField => name !== 'displayName',
)

/** The stored fields of a profile. */
export interface Profile extends Omit<FieldsOf<'session'>, 'displayName' | 'joinedAt'> {
  readonly id: string
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

/**
 * Returns the first fields of `member` as JSON, without braces. The text is cached with the profile, so it is created
 * once, not for each response.
 */
export const toProfileJson = (profile: Profile): string =>
  JSON.stringify({
    id: profile.id,
    ...pickFields(profileFields, { ...profile, joinedAt: isoTime(msOfSnowflake(profile.id)) }),
    createdAt: isoTime(profile.createdAtMs),
    updatedAt: isoTime(profile.updatedAtMs),
  }).slice(1, -1)

/** The upper 42 bits of a Discord ID are the milliseconds between the beginning of 2015 and the creation of the ID. */
const msOfSnowflake = (id: string) => Number(BigInt(id) >> 22n) + 1_420_070_400_000

/** The values from which `toMemberJson` composes the response. */
export interface MemberParts {
  readonly profileJson: string
  readonly isClubMember: boolean
  readonly syncedAtMs: number
  readonly nick: string | null
}

/** Returns the fields `member` and `roles` of a response as JSON. `held` are the roles that the member holds. */
export function toMemberJson(
  { profileJson, isClubMember, syncedAtMs, nick }: MemberParts,
  held: readonly RolePart[],
): string {
  return (
    `"member":{${profileJson},"isClubMember":${isClubMember},"syncedAt":"${isoTime(syncedAtMs)}",` +
    `"displayName":${JSON.stringify(nick)}},"roles":${jsonOfRoles(held)}`
  )
}
