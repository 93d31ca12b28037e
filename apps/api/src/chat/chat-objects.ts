import { mapFields, type UserField, userFields } from '@rolecall/contract'

/** The fields of a user that the table of member fields describes; the avatar is a full CDN address. */
type UserFields = Readonly<Record<UserField, string | null>>

export const noUserFields: UserFields = mapFields(userFields, () => null)

/** A user of the chat platform, as it reports them. */
export interface ChatUser extends UserFields {
  readonly id: string
  readonly username: string
  /** Null if the account has no email address; undefined if the source does not report it. */
  readonly email?: string | null
  /** True for programs and the platform's own accounts, which never sign in. */
  readonly isBot: boolean
}

export interface ChatMember {
  readonly user: ChatUser
  readonly nick: string | null
  readonly roleIds: readonly string[]
  readonly joinedAt: Date | null
  readonly pending: boolean
}

export interface ChatRole {
  readonly id: string
  readonly name: string
  readonly color: number
  readonly position: number
}

export interface ChatServerInfo {
  readonly id: string
  readonly name: string
  /** Full CDN address, or null. */
  readonly icon: string | null
  readonly roles: readonly ChatRole[]
}

export interface ChatApplication {
  readonly clientId: string
  readonly callbackUrls: readonly string[]
  /** False if the gateway reports no members. */
  readonly reportsMembers: boolean
}

/** A server as lists of servers name it. */
export type ChatServerName = Pick<ChatServerInfo, 'id' | 'name' | 'icon'>

/** A picture by the parts of its address. */
export interface ChatImageName {
  readonly kind: 'avatars' | 'icons'
  readonly ownerId: string
  readonly hash: string
}

export interface ChatImage {
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  readonly bytes: Buffer
}
