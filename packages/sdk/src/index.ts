export type {
  InboundWebhook,
  Member,
  NewInboundWebhook,
  NewSession,
  ProblemDetail,
  Role,
  ServerMember,
  Session,
  SessionListItem,
  Submission,
} from './contract-types.ts'
export type { EventFeed, EventsOptions, RolecallEvent } from './events.ts'
export type { Authorize, Exchange, Pair } from './login.ts'
export type {
  CheckedMember,
  ListOptions,
  ManyPermissionsCheck,
  MemberChanges,
  PermissionAnswer,
  PermissionCheck,
} from './members.ts'
export { type Login, mintLogin } from './mint-login.ts'
export type { RolecallOptions, ValidateOptions } from './options.ts'
export { Rolecall } from './rolecall.ts'
export { RolecallError, type RolecallErrorCode } from './rolecall-error.ts'
export type { CacheOptions } from './session-cache.ts'
export type { Sign } from './sign.ts'
export type { CallOptions } from './transport.ts'
export { type VerifyEvent, verifyEvent } from './verify-event.ts'
export type {
  CreateWebhook,
  Receipt,
  SubmissionsOptions,
  SubmitOptions,
  UpdateWebhook,
  Webhooks,
} from './webhooks.ts'
