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
export { type Login, mintLogin } from './mint-login.ts'
export {
  type Authorize,
  type CallOptions,
  type Exchange,
  type Pair,
  Rolecall,
  type RolecallOptions,
  type ValidateOptions,
} from './rolecall.ts'
export { RolecallError, type RolecallErrorCode } from './rolecall-error.ts'
export type { CacheOptions } from './session-cache.ts'
export type { Sign } from './sign.ts'
