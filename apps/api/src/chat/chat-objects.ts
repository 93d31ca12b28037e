import { mapFields, type UserField, userFields } from '@rolecall/contract'

/** The fields of a user that the table of member fields defines. The avatar is a complete address. */
type UserFields = Readonly<Record<UserField, string | null>>

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

export interface ChatRole {
  readonly id: string
  readonly name: string
  readonly color: number
  readonly position: number
}

export interface ChatServerInfo {
  readonly id: string
  readonly name: string
  /** A complete address, or null. */
  readonly icon: string | null
  readonly roles: readonly ChatRole[]
}

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

export interface ChatImage {
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  readonly bytes: Buffer
}
