import { Type } from 'typebox'
import { credentialBodyLimit, endpoint } from './endpoint.ts'
import { Closed, OneOf, Snowflake, Uuid } from './formats.ts'
import { UiLocales } from './languages.ts'
import { patterns } from './patterns.ts'
import { CodeVerifier, Success, TokenResponse } from './sessions.ts'

const tag = 'Login'

const Challenge = {
  code_challenge: Type.Optional(Type.String({ pattern: patterns.codeChallenge.pattern, maxLength: 43 })),
  code_challenge_method: Type.Optional(OneOf('S256')),
}

const AuthorizeQuery = {
  client_id: { ...Uuid, description: 'The ID of the project.' },
  redirect_uri: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'A redirect URI of the project, exactly as it is registered.',
  }),
  server_id: Snowflake,
  state: Type.String({ minLength: 1, maxLength: 2048, description: 'Any value. It is returned unchanged.' }),
  ui_locales: UiLocales,
  ...Challenge,
}

const bothOrNone = {
  dependentRequired: {
    code_challenge: ['code_challenge_method'],
    code_challenge_method: ['code_challenge'],
  },
}

const loopbackRedirect = new RegExp(patterns.loopbackRedirect.pattern)

/** Returns true for an address at which a command-line program may receive its code: one of the same machine. */
export const isLoopbackRedirect = (redirectUri: string): boolean => loopbackRedirect.test(redirectUri)

const authorizeRefusals = [
  'UNKNOWN_PROJECT',
  'PROJECT_INACTIVE_AT_LOGIN',
  'REDIRECT_URI_NOT_ALLOWED',
  'SERVER_NOT_ACCESSIBLE',
  'NAVIGATION_REQUIRED',
  'RATE_LIMITED',
  'LOGIN_NOT_CONFIGURED',
] as const

/** Starts a sign-in to a project. Refuses in the browser with UNKNOWN_PROJECT, REDIRECT_URI_NOT_ALLOWED and others. */
export const authorize = endpoint({
  method: 'GET',
  path: '/api/auth/authorize',
  tag,
  summary: 'Start a sign-in in the browser',
  description:
    'Send the browser to this address. The service stores the request for 10 minutes, sets the cookie ' +
    '`svc_auth_req`, and redirects to Discord. After the sign-in, the browser returns to ' +
    '`redirect_uri` with `code`, `state`, and `iss`. If the sign-in is refused, it returns with `error`, ' +
    '`error_description`, `error_reason`, `state`, and `iss`.',
  auth: 'none',
  needs: 'READ',
  page: true,
  query: Closed(AuthorizeQuery, bothOrNone),
  cookies: ['svc_auth_req', 'svc_ui_locales'],
  answers: { 302: null },
  refuses: authorizeRefusals,
})

/** Starts a sign-in without a screen, if single sign-on knows the browser. Refuses like `authorize`. */
export const ssoAuthorize = endpoint({
  method: 'GET',
  path: '/api/auth/sso/authorize',
  tag,
  summary: 'Start a sign-in that uses the single sign-on of this browser',
  description:
    'If the browser has a valid `svc_sso` cookie from an earlier sign-in, the code is issued immediately, ' +
    'without a Discord screen. Otherwise, the sign-in continues as with `/api/auth/authorize`. ' +
    'With `prompt=none`, the browser then returns to `redirect_uri` with `error=login_required` instead.',
  auth: 'none',
  needs: 'READ',
  page: true,
  query: Closed({ ...AuthorizeQuery, prompt: Type.Optional(OneOf('none')) }, bothOrNone),
  cookies: ['svc_auth_req', 'svc_sso', 'svc_ui_locales'],
  answers: { 302: null },
  refuses: authorizeRefusals,
})

/**
 * Ends the single sign-on of the browser. Sessions stay live. Also succeeds without single sign-on. Refuses with
 * CROSS_SITE_REQUEST.
 */
export const ssoLogout = endpoint({
  method: 'POST',
  path: '/api/auth/sso/logout',
  tag,
  summary: 'End the single sign-on of this browser',
  description:
    'Sessions in projects continue. The response is the same if the browser had no single sign-on.',
  auth: 'none',
  cookies: ['svc_sso'],
  answers: { 200: Success },
  refuses: ['CROSS_SITE_REQUEST'],
})

/** Continues the sign-in that the browser has started. Refuses with LOGIN_REQUEST_INVALID, NAVIGATION_REQUIRED. */
export const resumeLogin = endpoint({
  method: 'GET',
  path: '/api/auth/chat',
  tag,
  summary: 'Resume the pending sign-in of this browser',
  description: 'Redirects the browser to Discord for its newest sign-in that is not completed.',
  auth: 'none',
  page: true,
  answers: { 302: null },
  refuses: ['LOGIN_REQUEST_INVALID', 'NAVIGATION_REQUIRED'],
})

const CallbackParameter = Type.Optional(Type.String({ maxLength: 4096 }))

/**
 * Accepts the response of Discord to a sign-in, once. Refuses with LOGIN_REQUEST_INVALID, NOT_SYSTEM_ADMIN,
 * MEMBER_BLOCKED, UNKNOWN_PROJECT, REDIRECT_URI_NOT_ALLOWED, LOGIN_REFUSED, CHAT_PLATFORM_UNAVAILABLE.
 */
export const chatCallback = endpoint({
  method: 'GET',
  path: '/api/auth/callback',
  isUsedOnce: true,
  tag,
  summary: 'Complete a sign-in with the response from Discord',
  description:
    'Discord redirects the browser to this address, once. The service completes the sign-in and ' +
    'redirects to the project, or shows the reason for a refusal.',
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
  cookies: ['svc_auth_req', 'svc_page_req', 'svc_sso'],
  answers: { 302: null },
  refuses: [
    'LOGIN_REQUEST_INVALID',
    'NOT_SYSTEM_ADMIN',
    'MEMBER_BLOCKED',
    'UNKNOWN_PROJECT',
    'REDIRECT_URI_NOT_ALLOWED',
    'LOGIN_REFUSED',
    'RATE_LIMITED',
    'CHAT_PLATFORM_UNAVAILABLE',
  ],
})

/**
 * Starts the sign-in of a System Admin, in the browser or for a command line. Refuses with MAIN_SERVER_MISSING,
 * NAVIGATION_REQUIRED, LOGIN_NOT_CONFIGURED.
 */
export const adminLogin = endpoint({
  method: 'GET',
  path: '/api/auth/admin/login',
  tag,
  summary: 'Start the sign-in of an administrator',
  description:
    'Send the browser of the administrator to this address. After a sign-in with an account in the main ' +
    'server, the browser returns to `return_to` with `#code=…`. A member with nothing to administer sees a ' +
    '403 page. If you send `code_challenge`, the exchange of the code requires `codeVerifier`. A command ' +
    'line sends `redirect_uri` or `response_mode=page` instead of `return_to`, always with a challenge. ' +
    'After a confirmation page, `redirect_uri` receives `code`, `state`, and `iss` in the query, and ' +
    '`response_mode=page` shows `code@iss` to copy. Reject a code if its `iss` is not the service that you ' +
    'called.',
  auth: 'none',
  page: true,
  query: Closed(
    {
      return_to: Type.Optional(
        Type.String({
          pattern: patterns.adminReturnTo.pattern,
          minLength: 1,
          maxLength: 1024,
          description: 'The page to return to: `/`, or a page of the console below `/console/`.',
        }),
      ),
      ui_locales: UiLocales,
      redirect_uri: Type.Optional(
        Type.String({
          pattern: patterns.loopbackRedirect.pattern,
          maxLength: 64,
          description:
            'The address of the command line: `http://127.0.0.1:PORT/callback` or `http://[::1]:PORT/callback`.',
        }),
      ),
      response_mode: Type.Optional(OneOf('page')),
      state: Type.Optional(
        Type.String({
          pattern: patterns.commandLineState.pattern,
          maxLength: 512,
          description: 'Any value. It is required with `redirect_uri`, and returned unchanged.',
        }),
      ),
      ...Challenge,
    },
    {
      dependentRequired: {
        code_challenge_method: ['code_challenge'],
        redirect_uri: ['code_challenge', 'code_challenge_method', 'state'],
        response_mode: ['code_challenge', 'code_challenge_method'],
        state: ['redirect_uri'],
      },
    },
  ),
  cookies: ['svc_auth_req', 'svc_ui_locales'],
  answers: { 302: null },
  refuses: ['MAIN_SERVER_MISSING', 'NAVIGATION_REQUIRED', 'RATE_LIMITED', 'LOGIN_NOT_CONFIGURED'],
})

const Confirmation = Type.String({ pattern: patterns.confirmation.pattern, maxLength: 43 })
const confirmPath = '/api/auth/admin/confirm'

/**
 * Asks for confirmation before a command line receives a code. Refuses with LOGIN_REQUEST_INVALID, NAVIGATION_REQUIRED.
 */
export const confirmationPage = endpoint({
  method: 'GET',
  path: confirmPath,
  tag,
  summary: 'Ask whether to sign in a command line',
  description:
    'Shows the last page of a sign-in with `redirect_uri` or `response_mode=page`. The page names the ' +
    'account and the service, and opens only in the browser that started the sign-in. No code is issued ' +
    'before the person confirms.',
  auth: 'none',
  page: true,
  query: Closed({ request: Confirmation }),
  answers: { 200: null },
  refuses: ['LOGIN_REQUEST_INVALID', 'NAVIGATION_REQUIRED'],
})

/**
 * Issues the code for a command line, or cancels the sign-in. Refuses with LOGIN_REQUEST_INVALID, CROSS_SITE_REQUEST.
 */
export const answerConfirmation = endpoint({
  method: 'POST',
  path: confirmPath,
  tag,
  summary: 'Sign in a command line, or cancel',
  description:
    'Accepted only from the confirmation page, and only once. `confirm` redirects to the command line with ' +
    '`code`, `state`, and `iss`, or shows the code to copy. `cancel` redirects with `error=access_denied`, ' +
    'or shows that no code was issued.',
  auth: 'none',
  page: true,
  query: Closed({ request: Confirmation, answer: OneOf('confirm', 'cancel') }),
  answers: { 200: null, 302: null },
  refuses: ['LOGIN_REQUEST_INVALID', 'CROSS_SITE_REQUEST'],
})

/**
 * Redeems the code of an administrator's sign-in, once. Refuses with INVALID_CODE, CHALLENGE_WITHOUT_VERIFIER,
 * MEMBER_BLOCKED, NOT_SYSTEM_ADMIN, CROSS_SITE_REQUEST, CHAT_PLATFORM_UNAVAILABLE.
 */
export const adminToken = endpoint({
  method: 'POST',
  path: '/api/auth/admin/token',
  tag,
  summary: 'Exchange the code of an admin sign-in for an admin session',
  description:
    'With `cookie: true`, the tokens are not in the body, but in the cookies `svc_admin` and ' +
    '`svc_admin_refresh`. A refresh of this session replaces the cookies. `cookie: true` is accepted only ' +
    'from a page of this service, in the browser that started the sign-in.',
  auth: 'none',
  body: Closed({
    code: Type.String({ minLength: 1, maxLength: 256 }),
    cookie: Type.Optional(Type.Boolean()),
    codeVerifier: Type.Optional(CodeVerifier),
  }),
  cookies: ['svc_admin', 'svc_admin_refresh', 'svc_auth_req'],
  bodyLimit: credentialBodyLimit,
  answers: { 200: Type.Partial(TokenResponse) },
  refuses: [
    'INVALID_CODE',
    'CHALLENGE_WITHOUT_VERIFIER',
    'MEMBER_BLOCKED',
    'NOT_SYSTEM_ADMIN',
    'CROSS_SITE_REQUEST',
    'CHAT_PLATFORM_UNAVAILABLE',
  ],
})

/** Ends the calling admin session, and its cookie. Refuses with INVALID_TOKEN, CROSS_SITE_REQUEST. */
export const adminLogout = endpoint({
  method: 'POST',
  path: '/api/auth/admin/logout',
  tag,
  summary: 'End the current admin session',
  description:
    'Clears the cookies of the console, and asks the browser to clear the stored data of this site. Other ' +
    'sessions and the single sign-on of this browser continue.',
  auth: 'session',
  cookies: ['svc_admin', 'svc_admin_refresh'],
  answers: { 200: Success },
  refuses: [],
})
