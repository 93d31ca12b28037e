import * as chatServers from './chat-servers.ts'
import type { EndpointDefinition } from './endpoint.ts'
import * as health from './health.ts'
import * as login from './login.ts'
import * as memberLists from './member-lists.ts'
import * as sessions from './sessions.ts'

const isEndpoint = (value: unknown): value is EndpointDefinition =>
  typeof value === 'object' && value !== null && 'method' in value && 'answers' in value

/** Every endpoint of the service, in the order of the specification. */
export const endpoints: readonly EndpointDefinition[] = [
  login,
  sessions,
  chatServers,
  memberLists,
  health,
].flatMap((feature) => Object.values(feature).filter(isEndpoint))
