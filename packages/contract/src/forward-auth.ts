import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, Nullable, OneOf, Snowflake } from './formats.ts'

const tag = 'Forward authentication'

/** The hosts that a project protects. A reverse proxy checks each request to them with `forwardAuth`. */
export const ForwardAuth = Type.Object({
  hosts: Type.Array(Type.String(), {
    description: 'The hosts that the project protects. A host can belong to only one project.',
  }),
  serverId: Nullable({
    ...Snowflake,
    description: 'The server in which members sign in; null if there is no main server.',
  }),
  anyOf: Type.Array(Snowflake, {
    description:
      'Role IDs, of which a member needs at least one. If the list is empty, every member of the server has ' +
      'access.',
  }),
  remoteUser: {
    ...OneOf('username', 'id'),
    description: 'The value of the header `Remote-User`: the username, or the ID of the member.',
  },
})

/** The changes of a project's protected hosts. Omitted fields keep their values. */
export const ForwardAuthInput = Closed({
  hosts: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 259 }), {
      maxItems: 50,
      description: 'Host names, with the port if it is not the default. The new list replaces the old one.',
    }),
  ),
  serverId: Type.Optional(
    Nullable({ ...Snowflake, description: 'The server in which members sign in. Null is the main server.' }),
  ),
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
  page: 'onRequest',
  path: '/api/forward-auth',
  summary: 'Check a request for a reverse proxy',
  description:
    'Call it from the reverse proxy: nginx `auth_request`, Caddy `forward_auth`, Traefik `forwardAuth`, or ' +
    'Apache. Only the addresses in `TRUST_PROXY` can call it. It reads the cookie of the protected host, and ' +
    'the headers `X-Forwarded-Proto`, `-Host`, `-Uri`, and `-Method`. With 200, the request can pass, and ' +
    'the response has the headers `Remote-User`, `Remote-Member-Id`, `Remote-Name`, `Remote-Email`, ' +
    '`Remote-Groups`, and `Remote-Role-Ids`. An unknown value is empty. With 401, the visitor is not signed ' +
    'in, and `Location` is the absolute address of the sign-in. With 403 ROLE_LACKING, the member has none ' +
    'of the required roles, and `Location` is the page that lists them. With `redirect=true`, a page load ' +
    'receives a redirect (302) instead of 401, and the page with the roles instead of the JSON of 403.',
  unlimited:
    'There is no rate limit, because a proxy would show a 429 as an error to every visitor. The start of a ' +
    'sign-in is limited.',
  refusedUnderPressure: 'last',
  query: Type.Object({ redirect: Type.Optional(Type.String({ maxLength: 16 })) }),
  headers: Type.Object({
    'X-Forwarded-Proto': Type.Optional(
      Type.String({ description: '`https`. A loopback host can also use `http`.' }),
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
    'The proxy serves this path on the protected host. `rd` is the path to return to after the sign-in; the ' +
    'default is `/`. If the host has a port, the name of its cookie ends with the port: ' +
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
  description:
    'The sign-in redirects the browser to this path of the protected host, with `code` or `error`. The ' +
    'service redeems the code for a session of the host, and redirects to the requested path.',
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
    'Each request checks the roles again. A member who has access now is redirected to `rd`, the path that ' +
    'was refused; the default is `/`.',
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
  description: 'The session ends only after the confirmation.',
  answers: { 200: null },
  refuses: ['PROXY_NOT_TRUSTED', 'FORWARDED_REQUEST_INVALID', 'HOST_UNKNOWN'],
})

/** Ends the session of a protected host. Refuses like `startHostLogin`, and with CROSS_SITE_REQUEST. */
export const hostLogout = endpoint({
  ...askedByProxy,
  method: 'POST',
  path: '/_rolecall/logout',
  summary: 'Sign out of a protected host',
  description: 'Accepted only from a page of the same host.',
  cookies: ['__Host-rolecall'],
  answers: { 200: null },
  refuses: ['PROXY_NOT_TRUSTED', 'FORWARDED_REQUEST_INVALID', 'HOST_UNKNOWN', 'CROSS_SITE_REQUEST'],
})

export type ForwardAuth = Static<typeof ForwardAuth>
export type ForwardAuthInput = Static<typeof ForwardAuthInput>
