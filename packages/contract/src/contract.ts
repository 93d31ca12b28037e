import * as access from './access.ts'
import type { EndpointDefinition } from './endpoint.ts'
import * as health from './health.ts'
import * as login from './login.ts'
import * as projectReads from './project-reads.ts'
import * as projects from './projects.ts'
import * as sessions from './sessions.ts'

const isEndpoint = (value: unknown): value is EndpointDefinition =>
  typeof value === 'object' && value !== null && 'method' in value && 'answers' in value

/** Every endpoint of the service, in the order of the specification. */
export const endpoints: readonly EndpointDefinition[] = [
  login,
  sessions,
  projectReads,
  projects,
  access,
  health,
].flatMap((feature) => Object.values(feature).filter(isEndpoint))
