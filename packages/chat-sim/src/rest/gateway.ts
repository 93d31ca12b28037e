import type { RESTGetAPIGatewayBotResult } from 'discord-api-types/v10'
import { type Call, json } from '../http/call.ts'
import type { Route } from '../http/route.ts'

const gatewayUrl = ({ origin }: Call): string => `${origin.replace(/^http/, 'ws')}/gateway`

/** The route that returns the address of the gateway, the recommended shards, and the remaining session starts. */
export const gatewayBot: Route = {
  name: 'gateway',
  method: 'GET',
  path: '/gateway/bot',
  at: 'api',
  auth: 'bot',
  handle(platform, call) {
    const response: RESTGetAPIGatewayBotResult = {
      url: gatewayUrl(call),
      shards: platform.sessionStarts.shards(),
      session_start_limit: platform.sessionStarts.state(),
    }
    return json(response)
  },
}
