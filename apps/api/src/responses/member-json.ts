import { type FieldsOf, fieldsOf, pickFields } from '@rolecall/contract'
import { isoTime } from './iso-time.ts'
import type { RolePart } from './roles.ts'

type ProfileField = Exclude<keyof FieldsOf<'session'>, 'displayName'>

/** Fields of a member that are the same in every server, in the order of the response. */
export const profileFields = fieldsOf('session').filter(
  (name): name is ProfileField => name !== 'displayName',
)

/** The stored part of a profile. */
export interface Profile extends Omit<FieldsOf<'session'>, 'displayName' | 'joinedAt'> {
  readonly id: string
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

/** Returns the beginning of the field `member`, which is made once for as long as the profile is the same. */
export const toProfileJson = (profile: Profile): string =>
  JSON.stringify({
    id: profile.id,
    ...pickFields(profileFields, { ...profile, joinedAt: isoTime(msOfSnowflake(profile.id)) }),
    createdAt: isoTime(profile.createdAtMs),
    updatedAt: isoTime(profile.updatedAtMs),
  }).slice(1, -1)

/** The first 42 bits of an ID of the platform are the milliseconds since 2015. */
const msOfSnowflake = (id: string) => Number(BigInt(id) >> 22n) + 1_420_070_400_000

export interface MemberParts {
  readonly profileJson: string
  readonly isClubMember: boolean
  readonly syncedAtMs: number
  readonly nick: string | null
}

/** Returns the fields `member` and `roles` of a response, with the roles that the member holds. */
export function toMemberJson(
  { profileJson, isClubMember, syncedAtMs, nick }: MemberParts,
  held: readonly RolePart[],
): string {
  return (
    `"member":{${profileJson},"isClubMember":${isClubMember},"syncedAt":"${isoTime(syncedAtMs)}",` +
    `"displayName":${JSON.stringify(nick)}},"roles":[${held.map(({ json }) => json).join(',')}]`
  )
}
