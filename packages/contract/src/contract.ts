import * as access from './access.ts'
import * as audit from './audit.ts'
import * as chatServers from './chat-servers.ts'
import type { EndpointDefinition } from './endpoint.ts'
import * as events from './events.ts'
import * as health from './health.ts'
import * as login from './login.ts'
import * as memberLists from './member-lists.ts'
import * as monitoring from './monitoring.ts'
import * as notifications from './notifications.ts'
import * as profile from './profile.ts'
import * as projectReads from './project-reads.ts'
import * as projects from './projects.ts'
import * as sessions from './sessions.ts'
import * as settings from './settings.ts'
import * as webhooks from './webhooks.ts'

const isEndpoint = (value: unknown): value is EndpointDefinition =>
  typeof value === 'object' && value !== null && 'method' in value && 'answers' in value

const features = [
  login,
  sessions,
  projects,
  access,
  projectReads,
  chatServers,
  memberLists,
  webhooks,
  events,
  notifications,
  audit,
  profile,
  settings,
  monitoring,
  health,
]

/** Every endpoint of the service, in the order of the specification. */
export const endpoints: readonly EndpointDefinition[] = features.flatMap((feature) =>
  Object.values(feature).filter(isEndpoint),
)
