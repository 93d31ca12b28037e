import { mapFields, type UserField, userFields } from '@rolecall/contract'

/** The fields of a user that the table of member fields defines. The avatar is a complete address. */
type UserFields = Readonly<Record<UserField, string | null>>

/** The fields of a user about whom nothing else is known. */
export const noUserFields: UserFields = mapFields(userFields, () => null)

/** A user of the chat platform, as the platform reports them. */
export interface ChatUser extends UserFields {
  readonly id: string
  readonly username: string
  /** Null if the account has no verified address. Undefined if this source does not report addresses. */
  readonly email?: string | null
  /** True for bots and for the platform's own accounts. They never sign in. */
  readonly isBot: boolean
}

/** A member of a server, as the platform reports them. */
export interface ChatMember {
  readonly user: ChatUser
  readonly nick: string | null
  readonly roleIds: readonly string[]
  readonly joinedAt: Date | null
  readonly pending: boolean
}

/** A role of a server, as the platform reports it. A higher position is a higher role. */
export interface ChatRole {
  readonly id: string
  readonly name: string
  readonly color: number
  readonly position: number
}

/** A server with its roles, as the platform reports it. The role that everyone has is left out. */
export interface ChatServerInfo {
  readonly id: string
  readonly name: string
  /** A complete address, or null. */
  readonly icon: string | null
  readonly roles: readonly ChatRole[]
}

/** The settings of this application at the platform. */
export interface ChatApplication {
  readonly clientId: string
  readonly callbackUrls: readonly string[]
  /** False if the gateway does not report members to this application. */
  readonly reportsMembers: boolean
}

/** A server as it appears in lists. */
export type ChatServerName = Pick<ChatServerInfo, 'id' | 'name' | 'icon'>

/** The parts of the address of an image. */
export interface ChatImageName {
  readonly kind: 'avatars' | 'icons'
  readonly ownerId: string
  readonly hash: string
}

/** An image that was downloaded from the platform. */
export interface ChatImage {
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  readonly bytes: Buffer
}
