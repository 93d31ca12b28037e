import { type Static, Type } from 'typebox'
import { ChangeQuery, DryRun } from './dry-run.ts'
import { credentialBodyLimit, endpoint } from './endpoint.ts'
import { Closed, DateTime, IdOrName, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'
import { Member, SessionRole } from './members.ts'
import { patterns } from './patterns.ts'

const tag = 'Sessions'

/** The schema of an opaque credential. Longer values are not credentials of this service. */
const Credential = Type.String({ minLength: 1, maxLength: 256 })

/** A PKCE verifier, by RFC 7636 §4.1: 43 to 128 characters. */
export const CodeVerifier = Type.String({ pattern: patterns.codeVerifier.pattern, maxLength: 128 })

/** A one-time code, and the project, redirect URI and PKCE verifier that it was issued for. */
export const ExchangeCode = Closed({
  clientId: { ...IdOrName, description: 'The ID of the project that requested the code.' },
  code: Credential,
  redirectUri: Type.String({ minLength: 1, maxLength: 2048 }),
  codeVerifier: Type.Optional(CodeVerifier),
})

/** A new session: its pair of credentials, its member, and the member's roles, highest first. */
export const TokenResponse = Type.Object({
  token: Type.String(),
  refreshToken: Type.String(),
  expiresAt: DateTime,
  member: Member,
  roles: Type.Array(SessionRole),
})

/** Optional details of the browser that the project acts for; shown in the list of sessions. */
export const ClientHeaders = Type.Object({
  'X-Client-Ip': Type.Optional(Type.String({ description: 'The IP address of the member’s browser.' })),
  'X-Client-User-Agent': Type.Optional(
    Type.String({ description: 'The user agent of the member’s browser.' }),
  ),
})

/** Redeems a code for a session, once. Refuses with INVALID_CODE, CHALLENGE_WITHOUT_VERIFIER, MEMBER_BLOCKED. */
export const exchangeCode = endpoint({
  method: 'POST',
  path: '/api/auth/token',
  tag,
  summary: 'Exchange a one-time code for a session',
  description:
    'The code must belong to the calling project, and `redirectUri` must be the one of the sign-in. If a ' +
    'code is used a second time, the request is rejected, and the session of the first use is revoked.',
  auth: 'projectKey',
  headers: ClientHeaders,
  body: ExchangeCode,
  bodyLimit: credentialBodyLimit,
  answers: { 200: TokenResponse },
  refuses: ['INVALID_CODE', 'CHALLENGE_WITHOUT_VERIFIER', 'MEMBER_BLOCKED'],
})

/** A session as its project sees it. */
export const SessionSummary = Type.Object({
  id: Uuid,
  serverId: Snowflake,
  createdAt: DateTime,
  expiresAt: DateTime,
})

/** The member of a session, with their roles as of `rolesAsOf` and the source of these. */
export const ValidateResponse = Type.Object({
  member: Member,
  roles: Type.Array(SessionRole, {
    description: 'Current roles in the server of the session, highest first.',
  }),
  groups: Type.Array(Type.String(), {
    description:
      'The groups of these roles by the `groupNames` of the project, without duplicates, highest first.',
  }),
  session: SessionSummary,
  rolesAsOf: DateTime,
  rolesSource: OneOf('gateway', 'rest', 'mirror'),
})

/** Returns the session of a token. Refuses with INVALID_TOKEN, CHAT_PLATFORM_UNAVAILABLE. */
export const validateSession = endpoint({
  method: 'POST',
  path: '/api/auth/validate',
  isRead: true,
  tag,
  summary: 'Check a session and read the current roles',
  description: 'A token of another project is invalid here. A check never extends a session.',
  refusedUnderPressure: 'last',
  auth: 'projectKey',
  body: Closed({ token: Credential }),
  bodyLimit: credentialBodyLimit,
  answers: { 200: ValidateResponse },
  refuses: ['INVALID_TOKEN', 'CHAT_PLATFORM_UNAVAILABLE'],
})

/** The result of a completed call, also if nothing had to be done: the response does not reveal which. */
export const Success = Type.Object({ success: Type.Boolean() })

/** Ends a session of the calling project. Succeeds for an unknown token, too. */
export const logout = endpoint({
  method: 'POST',
  path: '/api/auth/logout',
  tag,
  summary: 'End one session of the calling project',
  description:
    'Send the session token or the refresh token of the session. Tokens of other projects are ignored.',
  auth: 'projectKey',
  body: Closed({ token: Credential }),
  bodyLimit: credentialBodyLimit,
  answers: { 200: Success },
  refuses: [],
})

/** Ends all sessions of a member in the calling project. Succeeds for an unknown member, too. */
export const logoutAll = endpoint({
  method: 'POST',
  path: '/api/auth/logout-all',
  tag,
  summary: 'End all sessions of a member in the calling project',
  description: 'Sessions in other projects continue. The response is the same for an unknown member.',
  auth: 'projectKey',
  body: Closed({ memberId: Type.String({ minLength: 1, maxLength: 64 }) }),
  bodyLimit: credentialBodyLimit,
  answers: { 200: Success },
  refuses: [],
})

/** A session as its member sees it, with the browser that it was created for. */
export const SessionListItem = Type.Object({
  id: Uuid,
  kind: {
    ...OneOf('project', 'admin', 'sso'),
    description:
      '`project`: a session of a project. `admin`: an admin session. `sso`: the single sign-on of a browser.',
  },
  createdAt: DateTime,
  expiresAt: DateTime,
  projectId: Nullable(Uuid),
  serverId: Nullable(Snowflake),
  clientInfo: {
    ...Nullable(Type.Object({ ipAddress: Nullable(Type.String()), userAgent: Nullable(Type.String()) })),
    description:
      'The browser for which the session was created. Null if the calling session belongs to another project.',
  },
})

/** Lists the live sessions of the calling member, newest first. */
export const listSessions = endpoint({
  method: 'GET',
  path: '/api/auth/sessions',
  tag,
  summary: 'List the sessions of the current member, newest first',
  description: 'Returns the sessions in all projects, admin sessions, and the single sign-on of browsers.',
  auth: 'session',
  answers: { 200: Type.Object({ sessions: Type.Array(SessionListItem) }) },
  refuses: [],
})

/** Ends one session of the calling member. Refuses with SESSION_NOT_FOUND, also for another member's session. */
export const revokeSession = endpoint({
  method: 'DELETE',
  path: '/api/auth/sessions/{sessionId}',
  tag,
  summary: 'Revoke one of the current member’s sessions',
  description:
    'If the session is an admin session, a single sign-on, or a session of another project, its end is ' +
    'recorded in the audit log.',
  auth: 'session',
  params: Closed({ sessionId: IdOrName }),
  answers: { 204: null },
  refuses: ['SESSION_NOT_FOUND'],
})

/** Ends all sessions of the calling member, with single sign-on in every browser. */
export const revokeAllSessions = endpoint({
  method: 'DELETE',
  path: '/api/auth/sessions',
  tag,
  summary: 'Sign the current member out everywhere',
  description:
    'Ends all sessions of the member in all projects and in the administration, the single sign-on in every ' +
    'browser, and unused codes. The session of this request ends, too.',
  auth: 'session',
  answers: { 204: null },
  refuses: [],
})

/** Ends all sessions of a member, with single sign-on in every browser. Refuses with MEMBER_NOT_FOUND. */
export const endMemberSessions = endpoint({
  method: 'DELETE',
  path: '/api/admin/members/{id}/sessions',
  tag,
  summary: 'Sign a member out everywhere',
  description:
    'Ends all sessions of the member in all projects and in the administration, the single sign-on in every ' +
    'browser, and unused codes.',
  auth: 'admin',
  params: Closed({ id: Snowflake }),
  query: ChangeQuery,
  answers: { 200: DryRun, 204: null },
  refuses: ['MEMBER_NOT_FOUND'],
})

/**
 * Rotates the pair of a session. Refuses with INVALID_REFRESH_TOKEN, REFRESH_TOKEN_SUPERSEDED, REFRESH_TOKEN_REUSED.
 */
export const refreshSession = endpoint({
  method: 'POST',
  path: '/api/auth/token/refresh',
  tag,
  summary: 'Replace the token pair of a session',
  description:
    'Send the session token as Bearer, and the refresh token in the body. The response contains a new pair, ' +
    'and the old pair is invalid. The new session token expires later, but never after the maximum age of ' +
    'the sign-in. With the cookie of the console, send nothing or `{}`: the refresh token is read from its ' +
    'own cookie, both cookies are replaced, and the response contains only `expiresAt`.',
  auth: 'session',
  body: Closed({
    refreshToken: Type.Optional({ ...Credential, description: 'Required with a Bearer token.' }),
  }),
  bodyOptional: true,
  cookies: ['svc_admin', 'svc_admin_refresh'],
  bodyLimit: credentialBodyLimit,
  answers: {
    200: Type.Object({
      accessToken: Type.Optional(Type.String({ description: 'Absent if it is in a cookie.' })),
      expiresAt: DateTime,
      refreshToken: Type.Optional(Type.String({ description: 'Absent if it is in a cookie.' })),
    }),
  },
  refuses: ['INVALID_REFRESH_TOKEN', 'REFRESH_TOKEN_SUPERSEDED', 'REFRESH_TOKEN_REUSED'],
})

export type TokenResponse = Static<typeof TokenResponse>
export type SessionListItem = Static<typeof SessionListItem>
