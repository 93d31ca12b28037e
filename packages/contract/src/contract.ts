import * as access from './access.ts'
import * as account from './account.ts'
import * as adminStream from './admin-stream.ts'
import * as allWebhooks from './all-webhooks.ts'
import * as apiKeys from './api-keys.ts'
import * as attention from './attention.ts'
import * as audit from './audit.ts'
import * as blocks from './blocks.ts'
import * as branding from './branding.ts'
import * as chatServers from './chat-servers.ts'
import * as dryRun from './dry-run.ts'
import type { EndpointDefinition } from './endpoint.ts'
import * as eventDeliveries from './event-deliveries.ts'
import * as events from './events.ts'
import * as explain from './explain.ts'
import * as forwardAuth from './forward-auth.ts'
import * as health from './health.ts'
import * as images from './images.ts'
import * as languages from './languages.ts'
import * as latency from './latency.ts'
import * as login from './login.ts'
import * as logoutDeliveries from './logout-deliveries.ts'
import * as memberData from './member-data.ts'
import * as memberHistory from './member-history.ts'
import * as memberLists from './member-lists.ts'
import * as memberSessions from './member-sessions.ts'
import * as members from './members.ts'
import * as monitoring from './monitoring.ts'
import * as notifications from './notifications.ts'
import * as profile from './profile.ts'
import * as projectReads from './project-reads.ts'
import * as projectSessions from './project-sessions.ts'
import * as projects from './projects.ts'
import * as queues from './queues.ts'
import * as refusedLogins from './refused-logins.ts'
import * as sessions from './sessions.ts'
import * as settings from './settings.ts'
import * as webhooks from './webhooks.ts'

const isEndpoint = (value: unknown): value is EndpointDefinition =>
  typeof value === 'object' && value !== null && 'method' in value && 'answers' in value

const features: readonly Readonly<Record<string, unknown>>[] = [
  login,
  sessions,
  memberSessions,
  projectSessions,
  projects,
  branding,
  apiKeys,
  access,
  projectReads,
  forwardAuth,
  account,
  languages,
  chatServers,
  memberLists,
  memberHistory,
  refusedLogins,
  images,
  explain,
  blocks,
  memberData,
  webhooks,
  allWebhooks,
  events,
  eventDeliveries,
  notifications,
  logoutDeliveries,
  audit,
  profile,
  settings,
  monitoring,
  latency,
  queues,
  attention,
  adminStream,
  health,
]

/**
 * All exports of the contract's modules, with their names, sorted by name. Without sorting, Node.js lists the exports
 * of a module by name, and bundlers by their place in the file. The OpenAPI document must be the same in both cases.
 */
export const contractExports: readonly (readonly [string, unknown])[] = [
  members,
  dryRun,
  ...features,
].flatMap((module) => Object.entries(module).sort(([a], [b]) => (a < b ? -1 : 1)))

const named = contractExports.filter((entry): entry is [string, EndpointDefinition] => isEndpoint(entry[1]))

/** All endpoints of the service. Chapters have the order of the specification, and endpoints are sorted by name. */
export const endpoints: readonly EndpointDefinition[] = named.map(([, definition]) => definition)

const ids = new Map(named.map(([name, definition]) => [definition, name]))

/** Returns the name of an endpoint's export, e.g. `createProject`. Generators of clients name methods after it. */
export function operationIdOf(definition: EndpointDefinition): string {
  const id = ids.get(definition)
  if (id === undefined)
    throw new Error(`${definition.method} ${definition.path} is in no module of the contract.`)
  return id
}
