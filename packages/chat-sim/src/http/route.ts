import type { Platform } from '../platform.ts'
import type { Call, Reply } from './call.ts'

/** The names by which tests speak of routes, in the journal and when they ask for a fault. */
export const routeNames = [
  'authorize',
  'login',
  'token',
  'revoke',
  'oauthMe',
  'userinfo',
  'keys',
  'metadata',
  'me',
  'myGuilds',
  'myMember',
  'user',
  'application',
  'guild',
  'members',
  'memberSearch',
  'member',
  'roles',
  'bans',
  'ban',
  'gateway',
  'webhook',
  'cdn',
  'control',
  'unknown',
] as const

export type RouteName = (typeof routeNames)[number]

export interface Route {
  name: RouteName
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `/guilds/:guild/members/:user`, below the API base unless `at` says otherwise. */
  path: string
  /** `api`: under `/api` and `/api/v10`. `root`: as written. `both`: OAuth pages, which live in both places. */
  at: 'api' | 'root' | 'both'
  /** Who may call. `bot` and `user` reply with rate-limit headers. */
  auth: 'bot' | 'user' | 'botOrUser' | 'none'
  handle(platform: Platform, call: Call): Reply | Promise<Reply>
}
