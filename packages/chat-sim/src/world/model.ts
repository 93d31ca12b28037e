import type { APIRole } from 'discord-api-types/v10'
import type { Members } from './members.ts'

/** An account of the platform. Only its own bearer token sees `email` and `verified`. */
export interface SimUser {
  id: string
  username: string
  global_name: string | null
  /** `"0"` for accounts of the present kind of username. */
  discriminator: string
  avatar: string | null
  bot: boolean
  email: string | null
  verified: boolean
  locale: string
  mfa_enabled: boolean
  public_flags: number
}

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

export interface SimGuild {
  id: string
  name: string
  icon: string | null
  description: string | null
  owner_id: string
  /** The one text channel, for webhooks and so that a full client has something to show. */
  channel_id: string
  roles: Map<string, APIRole>
  members: Members
  /** User id to reason. */
  bans: Map<string, string | null>
  unavailable: boolean
}

export interface SimApplication {
  clientId: string
  clientSecret: string
  botToken: string
  name: string
  redirectUris: string[]
  /** The developer portal's switch for the privileged member intent. */
  memberIntent: boolean
}

export interface SimWebhook {
  id: string
  token: string
  name: string
  guild_id: string
  channel_id: string
}
