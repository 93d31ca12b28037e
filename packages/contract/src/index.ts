export * as access from './access.ts'
export * as account from './account.ts'
export * as adminStream from './admin-stream.ts'
export type { NewOwners, Owners } from './administrators.ts'
export { admitsAuditor, whoElse } from './administrators.ts'
export * as allWebhooks from './all-webhooks.ts'
export * as apiKeys from './api-keys.ts'
export * as attention from './attention.ts'
export * as audit from './audit.ts'
export * as blocks from './blocks.ts'
export * as branding from './branding.ts'
export * as chatServers from './chat-servers.ts'
export { endpoints, operationIdOf } from './contract.ts'
export { contrast, type Rgb, textColorOn } from './contrast.ts'
export * as dryRun from './dry-run.ts'
export {
  type Answer,
  type Auth,
  bodyLimitOf,
  type EndpointDefinition,
  type EndpointInput,
  type EndpointOutput,
  endpoint,
  maxPayloadBytes,
  refusals,
  type Upload,
} from './endpoint.ts'
export { type ErrorArea, type ErrorCode, type ErrorDefinition, errors, type Retry } from './errors.ts'
export * as eventDeliveries from './event-deliveries.ts'
export * as events from './events.ts'
export { exampleBody, exampleDownload, exampleOf, exampleStream } from './example.ts'
export * as explain from './explain.ts'
export { formats } from './formats.ts'
export * as forwardAuth from './forward-auth.ts'
export { type Grant, grants } from './grants.ts'
export * as groups from './groups.ts'
export * as health from './health.ts'
export * as images from './images.ts'
export type { Schema } from './json-schema.ts'
export { chooseLanguage, type Language, languages } from './languages.ts'
export * as latency from './latency.ts'
export * as login from './login.ts'
export { logoTypes, maxLogoBytes, maxLogoSide } from './logo-limits.ts'
export * as logoutDeliveries from './logout-deliveries.ts'
export * as memberData from './member-data.ts'
export {
  type FieldsOf,
  fieldsOf,
  type MemberAnswer,
  type MemberFieldName,
  mapFields,
  memberField,
  memberFields,
  pickFields,
  type StoredField,
  storedFields,
  type UserField,
  userFields,
} from './member-fields.ts'
export * as memberHistory from './member-history.ts'
export * as memberLists from './member-lists.ts'
export * as memberSessions from './member-sessions.ts'
export { Member, SessionRole } from './members.ts'
export * as monitoring from './monitoring.ts'
export { Name, storedName } from './names.ts'
export * as notifications from './notifications.ts'
export { openApi } from './openapi.ts'
export { patternMessage } from './patterns.ts'
export { MoreProblems, Problem, ProblemDetail } from './problem.ts'
export * as profile from './profile.ts'
export * as projectReads from './project-reads.ts'
export * as projectSessions from './project-sessions.ts'
export * as projects from './projects.ts'
export * as queues from './queues.ts'
export { redirectUriProblem } from './redirect-uris.ts'
export * as refusedLogins from './refused-logins.ts'
export * as sessions from './sessions.ts'
export { type EditableRow, type SettingRow, settingTable } from './setting-table.ts'
export * as settings from './settings.ts'
export * as webhooks from './webhooks.ts'
