import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, Nullable, OneOf, Snowflake } from './formats.ts'

const tag = 'Forward authentication'

/** The hosts that a project protects. A reverse proxy checks each request to them with `forwardAuth`. */
export const ForwardAuth = Type.Object({
  hosts: Type.Array(Type.String(), { description: 'Each belongs to one project.' }),
  serverId: Nullable({
    ...Snowflake,
    description: 'The server for sign-in; null if there is no main server.',
  }),
  anyOf: Type.Array(Snowflake, { description: 'Roles of which one is required; empty: every member.' }),
  remoteUser: { ...OneOf('username', 'id'), description: 'The value of `Remote-User`.' },
})

/** The changes of a project's protected hosts. Omitted fields keep their values. */
export const ForwardAuthInput = Closed({
  hosts: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 259 }), {
      maxItems: 50,
      description: 'Host names, with the port unless it is the default. Replaces the list.',
    }),
  ),
  serverId: Type.Optional(Nullable({ ...Snowflake, description: 'null: the main server.' })),
  anyOf: Type.Optional(Type.Array(Snowflake, { maxItems: 100, uniqueItems: true })),
  remoteUser: Type.Optional(OneOf('username', 'id')),
})

const askedByProxy = {
  method: 'GET',
  tag,
  auth: 'none',
  page: true,
  isOnOtherHosts: true,
} as const

/**
 * Decides for a reverse proxy whether to admit a request. Refuses with PROXY_NOT_TRUSTED, FORWARDED_REQUEST_INVALID,
 * HOST_UNKNOWN, LOGIN_REQUIRED, ROLE_LACKING, CHAT_PLATFORM_UNAVAILABLE.
 */
export const forwardAuth = endpoint({
  ...askedByProxy,
  page: 'asked',
  path: '/api/forward-auth',
  summary: 'Check a request for a reverse proxy',
  description:
    'For nginx `auth_request`, Caddy `forward_auth`, Traefik `forwardAuth` and Apache, from the addresses of TRUST_PROXY ' +
    'only. Reads ' +
    '`X-Forwarded-Proto`, `-Host`, `-Uri` and `-Method`, and the cookie of the protected host. 200 carries `Remote-User`, ' +
    '`Remote-Member-Id`, `Remote-Name`, `Remote-Email`, `Remote-Groups` and `Remote-Role-Ids`, empty where unknown. 401 ' +
    'has an absolute ' +
    '`Location`. 403 ROLE_LACKING carries the address of the page that lists the roles. With `redirect=true`, page loads ' +
    'are redirected there with 302.',
  unlimited:
    'There is no rate limit, because a proxy would show the 429 as an error to every visitor. The start of a sign-in is limited.',
  refusedUnderPressure: 'last',
  query: Type.Object({ redirect: Type.Optional(Type.String({ maxLength: 16 })) }),
  headers: Type.Object({
    'X-Forwarded-Proto': Type.Optional(
      Type.String({ description: '`https`, or `http` of a loopback host.' }),
    ),
    'X-Forwarded-Host': Type.Optional(Type.String()),
    'X-Forwarded-Uri': Type.Optional(Type.String()),
    'X-Forwarded-Method': Type.Optional(Type.String()),
  }),
  answers: { 200: null, 302: null },
  refuses: [
    'PROXY_NOT_TRUSTED',
    'FORWARDED_REQUEST_INVALID',
    'HOST_UNKNOWN',
    'LOGIN_REQUIRED',
    'ROLE_LACKING',
    'CHAT_PLATFORM_UNAVAILABLE',
  ],
})

/**
 * Starts the sign-in of a protected host. Refuses with PROXY_NOT_TRUSTED, FORWARDED_REQUEST_INVALID, HOST_UNKNOWN,
 * LOGIN_LOOP.
 */
export const startHostLogin = endpoint({
  ...askedByProxy,
  path: '/_rolecall/start',
  summary: 'Sign in to a protected host',
  description:
    'On the protected host. `rd` is the path to return to; default `/`. The cookie of a host with a port ends in it: ' +
    '`__Host-rolecall-8443`.',
  query: Type.Object({ rd: Type.Optional(Type.String({ maxLength: 16_384 })) }),
  cookies: ['__Host-rolecall'],
  answers: { 302: null },
  refuses: ['PROXY_NOT_TRUSTED', 'FORWARDED_REQUEST_INVALID', 'HOST_UNKNOWN', 'LOGIN_LOOP'],
})

const CallbackParameter = Type.Optional(Type.String({ maxLength: 4096 }))

/**
 * Finishes the sign-in of a protected host. Refuses like `startHostLogin`, and with LOGIN_REQUEST_INVALID,
 * LOGIN_REFUSED.
 */
export const hostCallback = endpoint({
  ...askedByProxy,
  path: '/_rolecall/callback',
  summary: 'Complete the sign-in to a protected host',
  query: Type.Object({
    code: CallbackParameter,
    state: Type.String({ minLength: 1, maxLength: 2048 }),
    iss: CallbackParameter,
    error: CallbackParameter,
    error_reason: CallbackParameter,
    error_description: CallbackParameter,
  }),
  cookies: ['__Host-rolecall'],
  answers: { 302: null },
  refuses: [
    'PROXY_NOT_TRUSTED',
    'FORWARDED_REQUEST_INVALID',
    'HOST_UNKNOWN',
    'LOGIN_REQUEST_INVALID',
    'LOGIN_REFUSED',
  ],
})

/**
 * Shows the required roles of a protected host, with ROLE_LACKING. Redirects members who have received a required role
 * in the meantime. Refuses like `startHostLogin`, and with CHAT_PLATFORM_UNAVAILABLE.
 */
export const hostDenied = endpoint({
  ...askedByProxy,
  path: '/_rolecall/denied',
  summary: 'Show the roles that a protected host requires',
  description:
    'Checks again each time. A member who has access by now is redirected to `rd`, the refused path; default `/`.',
  query: Type.Object({ rd: Type.Optional(Type.String({ maxLength: 16_384 })) }),
  answers: { 302: null },
  refuses: [
    'PROXY_NOT_TRUSTED',
    'FORWARDED_REQUEST_INVALID',
    'HOST_UNKNOWN',
    'ROLE_LACKING',
    'CHAT_PLATFORM_UNAVAILABLE',
  ],
})

/** Asks the visitor to confirm the logout from a protected host. Refuses like `startHostLogin`. */
export const hostLogoutPage = endpoint({
  ...askedByProxy,
  path: '/_rolecall/logout',
  summary: 'Ask before signing out of a protected host',
  answers: { 200: null },
  refuses: ['PROXY_NOT_TRUSTED', 'FORWARDED_REQUEST_INVALID', 'HOST_UNKNOWN'],
})

/** Ends the session of a protected host. Refuses like `startHostLogin`, and with CROSS_SITE_REQUEST. */
export const hostLogout = endpoint({
  ...askedByProxy,
  method: 'POST',
  path: '/_rolecall/logout',
  summary: 'Sign out of a protected host',
  description: 'Only from a page of the same host.',
  cookies: ['__Host-rolecall'],
  answers: { 200: null },
  refuses: ['PROXY_NOT_TRUSTED', 'FORWARDED_REQUEST_INVALID', 'HOST_UNKNOWN', 'CROSS_SITE_REQUEST'],
})

export type ForwardAuth = Static<typeof ForwardAuth>
export type ForwardAuthInput = Static<typeof ForwardAuthInput>
