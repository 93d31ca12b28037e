import { Type } from 'typebox'
import { credentialBodyLimit, endpoint } from './endpoint.ts'
import { Closed, OneOf, Snowflake, Uuid } from './formats.ts'
import { Success, TokenResponse } from './sessions.ts'

const tag = 'Login'

const AuthorizeQuery = {
  client_id: { ...Uuid, description: 'Project id.' },
  redirect_uri: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'Must equal one redirect URI of the project, byte for byte.',
  }),
  server_id: Snowflake,
  state: Type.String({ minLength: 1, maxLength: 2048, description: 'Opaque; comes back unchanged.' }),
  code_challenge: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', maxLength: 43 })),
  code_challenge_method: Type.Optional(OneOf('S256')),
}

const bothOrNone = {
  dependentRequired: {
    code_challenge: ['code_challenge_method'],
    code_challenge_method: ['code_challenge'],
  },
}

const authorizeRefusals = [
  'UNKNOWN_PROJECT',
  'PROJECT_INACTIVE_AT_LOGIN',
  'REDIRECT_URI_NOT_ALLOWED',
  'SERVER_NOT_ACCESSIBLE',
] as const

export const authorize = endpoint({
  method: 'GET',
  path: '/api/auth/authorize',
  tag,
  summary: 'Send a browser here to log in',
  description:
    'Stores the request for 10 minutes, sets the cookie `svc_auth_req` and redirects to the chat ' +
    'platform. The browser comes back to `redirect_uri` with `code`, `state` and `iss`, or with `error`, ' +
    '`error_description`, `state` and `iss`.',
  auth: 'none',
  page: true,
  query: Closed(AuthorizeQuery, bothOrNone),
  answers: { 302: null },
  refuses: authorizeRefusals,
})

export const ssoAuthorize = endpoint({
  method: 'GET',
  path: '/api/auth/sso/authorize',
  tag,
  summary: 'Log in without the chat platform’s screen where this browser did before',
  description:
    'With a live `svc_sso` cookie the code is issued at once. Without one it goes on as authorize, or ' +
    'with `prompt=none` answers `error=login_required` to the redirect URI.',
  auth: 'none',
  page: true,
  query: Closed({ ...AuthorizeQuery, prompt: Type.Optional(OneOf('none')) }, bothOrNone),
  answers: { 302: null },
  refuses: authorizeRefusals,
})

export const ssoLogout = endpoint({
  method: 'POST',
  path: '/api/auth/sso/logout',
  tag,
  summary: 'End the single sign-on of this browser',
  auth: 'none',
  answers: { 200: Success },
  refuses: [],
})

export const resumeLogin = endpoint({
  method: 'GET',
  path: '/api/auth/chat',
  tag,
  summary: 'Resume the pending login of this browser',
  auth: 'none',
  page: true,
  answers: { 302: null },
  refuses: ['LOGIN_REQUEST_INVALID'],
})

const CallbackParameter = Type.Optional(Type.String({ maxLength: 4096 }))

export const chatCallback = endpoint({
  method: 'GET',
  path: '/api/auth/callback',
  tag,
  summary: 'Where the chat platform sends the browser back',
  auth: 'none',
  page: true,
  // RFC 6749 §4.1.2: unrecognized response parameters are ignored.
  query: Type.Object({
    code: CallbackParameter,
    state: Type.String({ minLength: 1, maxLength: 256 }),
    iss: CallbackParameter,
    error: CallbackParameter,
    error_description: CallbackParameter,
  }),
  answers: { 302: null },
  refuses: ['LOGIN_REQUEST_INVALID', 'NOT_SYSTEM_ADMIN', 'CHAT_PLATFORM_UNAVAILABLE'],
})

export const adminLogin = endpoint({
  method: 'GET',
  path: '/api/auth/admin/login',
  tag,
  summary: 'Log in a System Admin',
  description:
    'The same bounce for the main server; ends at `return_to` with `#code=…`. A member without the ' +
    'admin role gets a 403 page.',
  auth: 'none',
  page: true,
  query: Closed({
    return_to: Type.Optional(
      Type.String({
        // One slash, then neither slash nor backslash: browsers read "//host" and "/\host" as another site.
        pattern: '^/(?![/\\\\])[A-Za-z0-9/_.~?&=%+:@,;!$*()-]*$',
        minLength: 1,
        maxLength: 1024,
        description: 'A path of this site.',
      }),
    ),
  }),
  answers: { 302: null },
  refuses: ['SERVER_NOT_ACCESSIBLE'],
})

export const adminToken = endpoint({
  method: 'POST',
  path: '/api/auth/admin/token',
  tag,
  summary: 'Exchange the code of an admin login for an admin session',
  description:
    'With `cookie: true` the token goes into the cookie `svc_admin` and is left out of the body; only ' +
    'taken from a page of this service then.',
  auth: 'none',
  body: Closed({
    code: Type.String({ minLength: 1, maxLength: 256 }),
    cookie: Type.Optional(Type.Boolean()),
  }),
  bodyLimit: credentialBodyLimit,
  answers: { 200: Type.Partial(TokenResponse) },
  refuses: ['INVALID_CODE', 'NOT_SYSTEM_ADMIN', 'CROSS_SITE_REQUEST', 'CHAT_PLATFORM_UNAVAILABLE'],
})

export const adminLogout = endpoint({
  method: 'POST',
  path: '/api/auth/admin/logout',
  tag,
  summary: 'End the admin session that asks',
  auth: 'session',
  answers: { 200: Success },
  refuses: ['CROSS_SITE_REQUEST'],
})
