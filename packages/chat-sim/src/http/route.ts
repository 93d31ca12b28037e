import type { Platform } from '../platform.ts'
import type { Call, Reply } from './call.ts'
import type { RouteName } from './route-names.ts'

export interface Route {
  name: RouteName
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `/guilds/:guild/members/:user`, below the API base unless `at` says otherwise. */
  path: string
  /** `api`: under `/api` and `/api/v10`. `root`: as written. `both`: OAuth pages, which are in both places. */
  at: 'api' | 'root' | 'both'
  /** The callers of a route. `bot` and `user` reply with rate-limit headers. */
  auth: 'bot' | 'user' | 'botOrUser' | 'none'
  handle(platform: Platform, call: Call): Reply | Promise<Reply>
}
