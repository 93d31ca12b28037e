import { type Static, Type } from 'typebox'
import { credentialBodyLimit, endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'
import { Member, SessionRole } from './members.ts'

const tag = 'Sessions'

/** Opaque credentials are short; anything longer is not one of ours. */
const Credential = Type.String({ minLength: 1, maxLength: 256 })

export const ExchangeCode = Closed({
  clientId: Type.String({ minLength: 1, maxLength: 64, description: 'Project id that asked for the code.' }),
  code: Credential,
  redirectUri: Type.String({ minLength: 1, maxLength: 2048 }),
  codeVerifier: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._~-]{43,128}$', maxLength: 128 })),
})

export const TokenResponse = Type.Object({
  token: Type.String(),
  refreshToken: Type.String(),
  expiresAt: DateTime,
  member: Member,
  roles: Type.Array(SessionRole),
})

export const ClientHeaders = Type.Object({
  'X-Client-Ip': Type.Optional(Type.String({ description: 'Address of the browser you are acting for.' })),
  'X-Client-User-Agent': Type.Optional(Type.String({ description: 'User agent of that browser.' })),
})

export const exchangeCode = endpoint({
  method: 'POST',
  path: '/api/auth/token',
  tag,
  summary: 'Exchange a one-time code for a session',
  description:
    'The code must belong to the calling project and `redirectUri` must equal the one used at authorize. ' +
    'A second use is refused and revokes the session that the first one made.',
  auth: 'projectKey',
  headers: ClientHeaders,
  body: ExchangeCode,
  bodyLimit: credentialBodyLimit,
  answers: { 200: TokenResponse },
  refuses: ['INVALID_CODE', 'CHALLENGE_WITHOUT_VERIFIER'],
})

export const SessionSummary = Type.Object({
  id: Uuid,
  serverId: Snowflake,
  createdAt: DateTime,
  expiresAt: DateTime,
})

export const ValidateResponse = Type.Object({
  member: Member,
  roles: Type.Array(SessionRole, { description: 'Roles in the server of the session, now; highest first.' }),
  session: SessionSummary,
  rolesAsOf: DateTime,
  rolesSource: OneOf('gateway', 'rest', 'mirror'),
})

export const validateSession = endpoint({
  method: 'POST',
  path: '/api/auth/validate',
  tag,
  summary: 'Who is this, and what roles do they hold right now?',
  description: 'Tokens of other projects count as invalid. Validation never extends a session.',
  refusedUnderPressure: 'last',
  auth: 'projectKey',
  body: Closed({ token: Credential }),
  bodyLimit: credentialBodyLimit,
  answers: { 200: ValidateResponse },
  refuses: ['INVALID_TOKEN', 'CHAT_PLATFORM_UNAVAILABLE'],
})

export const Success = Type.Object({ success: Type.Boolean() })

export const logout = endpoint({
  method: 'POST',
  path: '/api/auth/logout',
  tag,
  summary: 'End one session of the calling project',
  description: 'Takes its session token or its refresh token. Tokens of other projects are ignored.',
  auth: 'projectKey',
  body: Closed({ token: Credential }),
  bodyLimit: credentialBodyLimit,
  answers: { 200: Success },
  refuses: [],
})

export const logoutAll = endpoint({
  method: 'POST',
  path: '/api/auth/logout-all',
  tag,
  summary: 'End all sessions of a member in the calling project',
  auth: 'projectKey',
  body: Closed({ memberId: Type.String({ minLength: 1, maxLength: 64 }) }),
  bodyLimit: credentialBodyLimit,
  answers: { 200: Success },
  refuses: [],
})

export const SessionListItem = Type.Object({
  id: Uuid,
  createdAt: DateTime,
  expiresAt: DateTime,
  projectId: Nullable(Uuid),
  serverId: Nullable(Snowflake),
  clientInfo: Type.Object({
    ipAddress: Nullable(Type.String()),
    userAgent: Nullable(Type.String()),
  }),
})

export const listSessions = endpoint({
  method: 'GET',
  path: '/api/auth/sessions',
  tag,
  summary: 'List the sessions of the current member, newest first',
  auth: 'session',
  answers: { 200: Type.Object({ sessions: Type.Array(SessionListItem) }) },
  refuses: [],
})

export const revokeSession = endpoint({
  method: 'DELETE',
  path: '/api/auth/sessions/{sessionId}',
  tag,
  summary: 'Revoke one of the current member’s sessions',
  auth: 'session',
  params: Closed({ sessionId: Type.String({ minLength: 1, maxLength: 64 }) }),
  answers: { 204: null },
  refuses: ['SESSION_NOT_FOUND'],
})

export const refreshSession = endpoint({
  method: 'POST',
  path: '/api/auth/token/refresh',
  tag,
  summary: 'Rotate the pair of a session',
  description:
    'Needs the still-valid Bearer session token and its refresh token; both are invalid once the answer ' +
    'is sent. Expiry slides, but never past the maximum age of the login.',
  auth: 'session',
  body: Closed({ refreshToken: Credential }),
  bodyLimit: credentialBodyLimit,
  answers: {
    200: Type.Object({ accessToken: Type.String(), expiresAt: DateTime, refreshToken: Type.String() }),
  },
  refuses: ['INVALID_REFRESH_TOKEN', 'REFRESH_TOKEN_SUPERSEDED', 'REFRESH_TOKEN_REUSED'],
})

export type TokenResponse = Static<typeof TokenResponse>
export type SessionListItem = Static<typeof SessionListItem>
