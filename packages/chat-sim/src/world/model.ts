import type { APIRole } from 'discord-api-types/v10'

/** An account of the platform. Only an access token of this user can read `email` and `verified`. */
export interface SimUser {
  id: string
  username: string
  global_name: string | null
  /** The number after an old username. `"0"` for accounts with the current kind of username. */
  discriminator: string
  avatar: string | null
  bot: boolean
  email: string | null
  verified: boolean
  locale: string
  mfa_enabled: boolean
  public_flags: number
}

/** A member of a server. */
export interface SimMember {
  user_id: string
  nick: string | null
  avatar: string | null
  roles: readonly string[]
  joined_at: string
  pending: boolean
  flags: number
  premium_since: string | null
  communication_disabled_until: string | null
}

/** A range of generated people who joined a guild. Each of them has some of `roleIds`. */
export interface BulkRange {
  from: number
  to: number
  roleIds: readonly string[]
}

/** The members of one guild, in ascending order of user ID, which is also the order of the platform's pages. */
export interface Members {
  readonly size: number
  get(userId: string): SimMember | undefined
  put(member: SimMember): void
  remove(userId: string): boolean
  addRange(range: BulkRange): void
  /** Returns up to `limit` members with IDs greater than `after`. */
  page(after: string, limit: number): SimMember[]
  /** Returns the members that were added one by one, or edited. */
  written(): Iterable<SimMember>
  /** Returns the unedited generated members with a username that starts with `prefix`. */
  generated(prefix: string): Iterable<SimMember>
  /** Records the current state, and returns a function that restores it. */
  remember(): () => void
}

/** A server, which the platform's API calls a guild. */
export interface SimGuild {
  id: string
  name: string
  icon: string | null
  description: string | null
  owner_id: string
  /** The only text channel. Webhooks need one, and so does a client with a user interface. */
  channel_id: string
  roles: Map<string, APIRole>
  members: Members
  /** The reasons of bans, by user ID. */
  bans: Map<string, string | null>
  unavailable: boolean
}

/** The application, with its bot and its OAuth client. */
export interface SimApplication {
  clientId: string
  clientSecret: string
  botToken: string
  name: string
  redirectUris: string[]
  /** The developer portal's switch for the privileged member intent. */
  memberIntent: boolean
}

/** A webhook to which messages can be sent. */
export interface SimWebhook {
  id: string
  token: string
  name: string
  guild_id: string
  channel_id: string
}
