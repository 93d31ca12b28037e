import type { Platform } from '../platform.ts'
import type { Call, Reply } from './call.ts'
import type { RouteName } from './route-names.ts'

/** A route of the simulated platform. */
export interface Route {
  name: RouteName
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path with parameters, e.g. `/guilds/:guild/members/:user`. `at` says below which prefix. */
  path: string
  /** `api` means below `/api`, `/api/v9`, and `/api/v10`, `root` without a prefix, and `both` in all these places. */
  at: 'api' | 'root' | 'both'
  /** The callers that a route accepts. Replies to a bot or a user have rate-limit headers. */
  auth: 'bot' | 'user' | 'botOrUser' | 'none'
  handle(platform: Platform, call: Call): Reply | Promise<Reply>
}
