export * as access from './access.ts'
export * as audit from './audit.ts'
export * as chatServers from './chat-servers.ts'
export { endpoints, operationIdOf } from './contract.ts'
export {
  type Answer,
  type Auth,
  bodyLimitOf,
  type EndpointDefinition,
  type EndpointInput,
  type EndpointOutput,
  endpoint,
  refusals,
} from './endpoint.ts'
export { type ErrorCode, type ErrorDefinition, errors } from './errors.ts'
export * as events from './events.ts'
export { exampleBody, exampleDownload, exampleOf, exampleStream } from './example.ts'
export { formats } from './formats.ts'
export * as health from './health.ts'
export type { Schema } from './json-schema.ts'
export * as login from './login.ts'
export * as memberLists from './member-lists.ts'
export { Member, SessionRole } from './members.ts'
export * as monitoring from './monitoring.ts'
export { Name, storedName } from './names.ts'
export * as notifications from './notifications.ts'
export { openApi } from './openapi.ts'
export { Problem, ProblemDetail } from './problem.ts'
export * as profile from './profile.ts'
export * as projectReads from './project-reads.ts'
export * as projects from './projects.ts'
export * as sessions from './sessions.ts'
export * as settings from './settings.ts'
export * as webhooks from './webhooks.ts'
