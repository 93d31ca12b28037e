/** The task to which an error belongs, for the table of all errors. */
export type ErrorArea =
  | 'signIn'
  | 'sessions'
  | 'access'
  | 'members'
  | 'webhooks'
  | 'deliveries'
  | 'admin'
  | 'proxy'
  | 'request'
  | 'service'

/**
 * The condition under which a retry makes sense: `corrected` after a change of the request, `changed` after an
 * administrator changed data of the service, `configured` after the operator changed the configuration, `signIn` after
 * a new sign-in, `later` after the seconds in `Retry-After`, `again` immediately, and `ifSafe` only if the request can
 * be processed twice.
 */
export type Retry = 'no' | 'corrected' | 'changed' | 'configured' | 'signIn' | 'later' | 'again' | 'ifSafe'

/** One row of the error table: the HTTP status of a refusal, and its texts. */
export interface ErrorDefinition {
  readonly status: number
  /** The problem. */
  readonly title: string
  /**
   * The fix, which ends every `detail`. It is the same for all callers, so that it reveals no more than the code. Must
   * not refer to `detail`, because it is part of it. A condition begins its sentence, and the reference then lists it.
   */
  readonly fix: string
  /** The conditions of the error that its title omits. Only the reference contains them. */
  readonly when?: string
  /** Further facts, such as the same fix with the API. Only the reference contains them. */
  readonly note?: string
  readonly area: ErrorArea
  readonly retry: Retry
  /** Codes with which this one is easily confused. */
  readonly see?: readonly string[]
  /** Sections of the documentation that help, by their titles. The paths begin in `docs`. */
  readonly guides?: Readonly<Record<string, string>>
  /** The code on the wire if it differs from the row's name: the same refusal with another status or fix. */
  readonly code?: string
}

const define = <const Table extends Record<string, ErrorDefinition>>(table: Table) => table

/**
 * All refusals of the service. The status is in the row, so nothing else maps codes to statuses. Codes are stable:
 * clients may switch on them.
 */
export const errors = define({
  VALIDATION_FAILED: {
    status: 400,
    title: 'A field, a parameter, or a header of the request is invalid.',
    fix:
      'Correct each entry in `errors`. Its `path` names a field of the body, a parameter, or a header. ' +
      'Unknown fields and parameters are invalid, too.',
    area: 'request',
    retry: 'corrected',
    see: ['PAYLOAD_INVALID'],
  },
  MALFORMED_JSON: {
    status: 400,
    title: 'The request body is not valid JSON.',
    fix:
      'Send exactly one JSON value, in UTF-8. An empty body, a comma after the last item, and a repeated ' +
      'key in an object are not valid.',
    area: 'request',
    retry: 'corrected',
    see: ['UNSUPPORTED_MEDIA_TYPE'],
  },
  BAD_REQUEST: {
    status: 400,
    title: 'The request is malformed, or ended early.',
    fix:
      'Check the proxy or the hand-written client that sent the request, because browsers and HTTP libraries ' +
      'send valid requests. Send exactly one Host header and a valid path. If the request has a body, send ' +
      'either Content-Length or Transfer-Encoding, not both.',
    area: 'request',
    retry: 'corrected',
  },
  IMAGE_INVALID: {
    status: 400,
    title: 'The file is not a PNG or WebP image that Rolecall can use.',
    fix: 'Use a complete PNG or WebP image of at most 512 × 512 pixels, without animation.',
    area: 'admin',
    retry: 'corrected',
    see: ['UPLOAD_TYPE_UNSUPPORTED', 'PAYLOAD_TOO_LARGE'],
    guides: { 'Add your logo and color': 'guides/sign-in-pages.md#add-your-logo-and-color' },
  },
  UNKNOWN_PROJECT: {
    status: 400,
    title: 'No project has this client_id.',
    fix:
      'Use the Client ID from the project’s Overview tab in the console as client_id. In the client ' +
      'libraries, it is ROLECALL_CLIENT_ID. The project’s name and API key are not valid. If the console ' +
      'does not list the project, it was deleted, or it is in another installation.',
    area: 'signIn',
    retry: 'corrected',
    see: ['PROJECT_NOT_FOUND'],
    guides: { 'A member cannot sign in': 'troubleshooting.md#a-member-cannot-sign-in' },
  },
  LOGIN_REQUEST_INVALID: {
    status: 400,
    title: 'This sign-in started in another browser, has expired, or was already used.',
    fix:
      'Start a new sign-in. Complete it within ten minutes in the same browser, and allow cookies. Do not ' +
      'open an old sign-in address again, for example from a bookmark or with the Back button. If you ' +
      'develop the app and every sign-in fails, set its ROLECALL_URL to the exact PUBLIC_URL of the ' +
      'service: browsers do not send cookies of localhost to 127.0.0.1.',
    area: 'signIn',
    retry: 'signIn',
    guides: {
      'A member cannot sign in': 'troubleshooting.md#a-member-cannot-sign-in',
      'Sign-in loop': 'troubleshooting.md#sign-in-loop',
    },
  },
  CHALLENGE_WITHOUT_VERIFIER: {
    status: 400,
    title: 'This code was requested with PKCE, but codeVerifier is missing.',
    fix:
      'Send codeVerifier, the random value from which your app computed code_challenge for this sign-in. ' +
      'You can still use the code, within 60 seconds of the sign-in.',
    area: 'signIn',
    retry: 'corrected',
    see: ['INVALID_CODE'],
    guides: { 'Exchange the code for a session': 'guides/backend.md#exchange-the-code-for-a-session' },
  },

  LOGIN_REQUIRED: {
    status: 401,
    title: 'You are not signed in.',
    fix: 'Send the browser to the address in the Location header to sign in.',
    note:
      'In your own app, requireMember and the guards of the client libraries return the same code: send ' +
      'the browser to /auth/login of the app.',
    area: 'proxy',
    retry: 'signIn',
    see: ['ROLE_LACKING', 'INVALID_TOKEN'],
    guides: {
      'Requests that are refused': 'guides/forward-auth.md#requests-that-are-refused',
      'When a visitor opens a page of your app': 'guides/errors.md#when-a-visitor-opens-a-page',
    },
  },
  PROXY_NOT_TRUSTED: {
    status: 403,
    title: 'This request did not come from a trusted reverse proxy.',
    fix:
      'Ask the operator to add the IP address of your reverse proxy to TRUST_PROXY, and to restart the ' +
      'service. If you opened this address in a browser, open the address of the site instead.',
    area: 'proxy',
    retry: 'configured',
    see: ['FORWARDED_REQUEST_INVALID'],
    guides: { 'Set up the proxy': 'guides/forward-auth.md#set-up-the-proxy' },
  },
  FORWARDED_REQUEST_INVALID: {
    status: 403,
    title: 'The headers of the reverse proxy do not describe a valid request.',
    fix:
      'Configure the proxy to set X-Forwarded-Proto, X-Forwarded-Host, and X-Forwarded-Uri exactly once ' +
      'each. X-Forwarded-Proto must be `https` or `wss`, except for a loopback host. Also remove ' +
      'X-Original-URL, and every header whose name begins with `Remote-`, from the request of the client.',
    note:
      'The response’s `detail` names the wrong header. Rolecall also rejects spellings such as ' +
      '`Remote_User`, because CGI programs read them as the same header.',
    area: 'proxy',
    retry: 'configured',
    see: ['PROXY_NOT_TRUSTED'],
    guides: { 'Use another proxy': 'guides/forward-auth.md#use-another-proxy' },
  },
  LOGIN_LOOP: {
    status: 400,
    title: 'The reverse proxy changed the redirect to the sign-in, so that it leads back to this site.',
    fix:
      'Configure the proxy to leave the Location header of redirects unchanged. In nginx, set ' +
      '`proxy_redirect off;`.',
    area: 'proxy',
    retry: 'configured',
    guides: { 'Use another proxy': 'guides/forward-auth.md#use-another-proxy' },
  },
  HOST_UNKNOWN: {
    status: 403,
    title: 'No project protects this host, or its project has no Discord server for sign-in.',
    fix:
      'Ask a System Admin to open, in the console, the Proxy tab of the project that should protect this ' +
      'host. If the host is not listed, add it, with its port unless it is the default port. If the host is ' +
      'listed, set the server for sign-in on this tab, or choose a main server.',
    note:
      'With the API, send PATCH /api/admin/projects/{id} with all hosts of the project in ' +
      '{"forwardAuth":{"hosts":[…]}}, because the list replaces the former one. The server for sign-in is ' +
      'forwardAuth.serverId.',
    area: 'proxy',
    retry: 'changed',
    see: ['HOST_TAKEN'],
    guides: { 'Add the host by API': 'guides/forward-auth.md#add-the-host-by-api' },
  },
  ROLE_LACKING: {
    status: 403,
    title: 'Your account has none of the roles that this site requires.',
    fix:
      'Ask an admin of the community for one of the roles. A new role usually works within a second, ' +
      'without another sign-in. If you run the site, ask a System Admin to change the required roles on ' +
      'the project’s Proxy tab in the console.',
    note: 'With the API, the required roles are forwardAuth.anyOf of PATCH /api/admin/projects/{id}.',
    area: 'proxy',
    retry: 'changed',
    see: ['ROLE_REQUIRED', 'SCOPE_REQUIRED', 'OPERATION_REQUIRED'],
    guides: { 'Requests that are refused': 'guides/forward-auth.md#requests-that-are-refused' },
  },
  LOGIN_REFUSED: {
    status: 403,
    title: 'The sign-in was refused or canceled.',
    fix:
      'Sign in again. If you canceled, choose Authorize on Discord’s screen this time. If you are not a ' +
      'member of the server, join it first. If you were removed, banned, or blocked, ask the moderators of ' +
      'the server. If the site has no access to the server, its developer can ask a System Admin to grant ' +
      'READ on the console’s Access page.',
    note:
      'If the reason is known, the response’s `detail` begins with it. With the API, READ is granted ' +
      'by PUT /api/admin/projects/{projectId}/servers/{serverId}.',
    area: 'signIn',
    retry: 'signIn',
    see: ['MEMBER_BLOCKED', 'SERVER_NOT_ACCESSIBLE', 'NOT_SYSTEM_ADMIN'],
    guides: { 'A member cannot sign in': 'troubleshooting.md#a-member-cannot-sign-in' },
  },
  INVALID_API_KEY: {
    status: 401,
    title: 'The API key is missing, malformed, unknown, expired, or revoked.',
    fix:
      'Send the project’s complete API key in the header X-API-Key. A key begins with `rck_`. If the key ' +
      'is lost, expired, or revoked, a System Admin or a project owner can add one, on the project’s Keys ' +
      'tab in the console or with POST /api/admin/projects/{id}/keys. Adding a key does not revoke the ' +
      'others.',
    area: 'access',
    retry: 'corrected',
    see: ['PROJECT_INACTIVE', 'INVALID_TOKEN'],
    guides: {
      'Rotate an API key without downtime': 'guides/administering.md#rotate-an-api-key-without-downtime',
    },
  },
  PROJECT_INACTIVE: {
    status: 401,
    title: 'The API key is correct, but its project is inactive.',
    fix:
      'Ask a System Admin to activate the project, on its Settings tab in the console or with PATCH ' +
      '/api/admin/projects/{id} and {"isActive":true}. The key does not have to change.',
    area: 'access',
    retry: 'changed',
    see: ['INVALID_API_KEY'],
    guides: { 'Deactivate or delete a project': 'guides/administering.md#deactivate-or-delete-a-project' },
  },
  INVALID_TOKEN: {
    status: 401,
    title: 'The session token is missing, malformed, unknown, expired, or revoked.',
    fix:
      'Check that you send the newest token of the session: each refresh replaces it. Use the API key of ' +
      'the project that created the session: a project can check only its own sessions. If the session has ' +
      'ended, send the member or the administrator to sign in again.',
    area: 'sessions',
    retry: 'signIn',
    see: ['INVALID_REFRESH_TOKEN', 'REFRESH_TOKEN_SUPERSEDED', 'REFRESH_TOKEN_REUSED', 'INVALID_API_KEY'],
    guides: {
      'What ends a session': 'concepts/revocation.md#what-ends-a-session',
      'Handle the end of a session': 'guides/backend.md#handle-the-end-of-a-session',
    },
  },
  INVALID_CODE: {
    status: 401,
    title: 'The code is invalid, expired, or already used.',
    fix:
      'Start a new sign-in, and exchange its code once, within 60 seconds. A second use also ends the ' +
      'session that the first use created. If a new code fails, too, check these values. 1. The API key and ' +
      'clientId belong to the same project. 2. redirectUri is exactly the redirect URI of the sign-in. 3. ' +
      'If the sign-in had a code_challenge, codeVerifier matches it. 4. The member is still in the server. ' +
      '5. The project still has READ there.',
    area: 'signIn',
    retry: 'signIn',
    see: ['CHALLENGE_WITHOUT_VERIFIER', 'MEMBER_BLOCKED'],
    guides: { 'Exchange the code for a session': 'guides/backend.md#exchange-the-code-for-a-session' },
  },
  INVALID_REFRESH_TOKEN: {
    status: 401,
    title: 'The refresh token is missing, or does not belong to this session token.',
    fix:
      'Send the refresh token that you received together with this session token. This error does not end ' +
      'the session: its token stays valid until it expires. If you no longer have the refresh token, ' +
      'continue until the session expires, and then send the member to sign in again.',
    area: 'sessions',
    retry: 'corrected',
    see: ['REFRESH_TOKEN_SUPERSEDED', 'REFRESH_TOKEN_REUSED', 'INVALID_TOKEN'],
    guides: { 'Refresh before a session expires': 'concepts/sessions.md#refresh-before-a-session-expires' },
  },
  REFRESH_TOKEN_SUPERSEDED: {
    status: 401,
    title: 'Another request refreshed this token pair less than 30 seconds ago.',
    fix:
      'Use the pair that the other request received: the session continues with it. If that response was ' +
      'lost, send the member to sign in again. To avoid this error, let only one process refresh a session ' +
      'at a time.',
    area: 'sessions',
    retry: 'corrected',
    see: ['REFRESH_TOKEN_REUSED', 'INVALID_REFRESH_TOKEN'],
    guides: { 'Refresh before a session expires': 'concepts/sessions.md#refresh-before-a-session-expires' },
  },
  REFRESH_TOKEN_REUSED: {
    status: 401,
    title: 'An old refresh token was used again, so Rolecall ended the session.',
    fix:
      'Send the member to sign in again. In your app, store each new pair immediately, and let only one ' +
      'process refresh a session at a time. If your app already does both, the tokens may have been stolen.',
    area: 'sessions',
    retry: 'signIn',
    see: ['REFRESH_TOKEN_SUPERSEDED', 'INVALID_REFRESH_TOKEN'],
    guides: { 'Refresh before a session expires': 'concepts/sessions.md#refresh-before-a-session-expires' },
  },

  INVALID_METRICS_TOKEN: {
    status: 401,
    title: 'The metrics token is missing or wrong.',
    fix:
      'Send the header Authorization: Bearer <METRICS_TOKEN>, with the value that is set on the service. In ' +
      'Prometheus, set `authorization.credentials` or `authorization.credentials_file` of the scrape job.',
    area: 'service',
    retry: 'corrected',
    see: ['METRICS_LOCAL_ONLY'],
    guides: { Metrics: 'guides/monitoring.md#metrics' },
  },
  SIGNATURE_INVALID: {
    status: 401,
    title: 'The signature is missing, malformed, or wrong, or its time is more than 300 seconds off.',
    fix:
      'Compute the HMAC-SHA-256 of `<time>.<raw body>`, where `<time>` is the current Unix time in ' +
      'seconds, and the body is exactly the bytes that you send. The key is the whole secret of the ' +
      'webhook, including `whsec_`. Send the result in the header X-SVC-Signature: t=<time>,v1=<hex>. If ' +
      'the time is off, correct the sender’s clock.',
    note: 'The response’s `detail` names the reason.',
    area: 'webhooks',
    retry: 'corrected',
    see: ['SIGNATURE_REPLAYED', 'SECRET_UNREADABLE'],
    guides: { 'Sign and send': 'guides/inbound-webhooks.md#3-sign-and-send' },
  },

  PROJECT_INACTIVE_AT_LOGIN: {
    status: 403,
    title: 'Members cannot sign in, because the project is inactive.',
    fix:
      'Ask a System Admin to activate the project, on its Settings tab in the console or with PATCH ' +
      '/api/admin/projects/{id} and {"isActive":true}.',
    area: 'signIn',
    retry: 'changed',
    see: ['UNKNOWN_PROJECT'],
    guides: { 'Deactivate or delete a project': 'guides/administering.md#deactivate-or-delete-a-project' },
    code: 'PROJECT_INACTIVE',
  },
  REDIRECT_URI_NOT_ALLOWED: {
    status: 403,
    title: 'The redirect URI is not registered for the project.',
    fix:
      'Use a redirect URI that matches a registered one exactly: http is not https, and localhost is not ' +
      '127.0.0.1. A System Admin or a project owner can add it, on the project’s Redirects tab in the ' +
      'console or with POST /api/admin/projects/{id}/redirect-uris.',
    area: 'signIn',
    retry: 'corrected',
    see: ['REDIRECT_URI_NOT_FOUND'],
    guides: { 'Rules for redirect URIs': 'guides/first-project.md#rules-for-redirect-uris' },
  },
  SERVER_NOT_ACCESSIBLE: {
    status: 403,
    title:
      'The project may not use this server for sign-ins: READ is missing, or the server is not registered.',
    fix:
      'Check server_id, which is ROLECALL_SERVER_ID in the client libraries. If it is correct, ask a System ' +
      'Admin to grant READ on the console’s Access page, or with PUT ' +
      '/api/admin/projects/{projectId}/servers/{serverId}. If there is no main server, ask the operator to ' +
      'check CHAT_GUILD_ID.',
    area: 'signIn',
    retry: 'changed',
    see: ['SCOPE_REQUIRED', 'SERVER_NOT_FOUND'],
    guides: { 'May the project use this server?': 'concepts/access.md#1-may-the-project-use-this-server' },
  },
  MAIN_SERVER_MISSING: {
    status: 403,
    title: 'No main server is configured.',
    fix:
      'Ask the operator to set CHAT_GUILD_ID to the ID of the Discord server of the community, and to ' +
      'restart the service. The command `rolecall doctor` checks the value.',
    area: 'signIn',
    retry: 'configured',
    guides: { 'Check the installation': 'guides/installing.md#2-check-the-installation' },
    code: 'SERVER_NOT_ACCESSIBLE',
  },
  SCOPE_REQUIRED: {
    status: 403,
    title: 'The project may not read this server: a permission is missing, or the server is not registered.',
    fix:
      'Check the server ID. If it is correct, ask a System Admin to grant READ and the required scope, ' +
      '`read_members` or `check_permissions`, on the console’s Access page, or with PUT ' +
      '/api/admin/projects/{projectId}/servers/{serverId}.',
    note: 'If a scope is missing, the response’s `detail` names it.',
    area: 'access',
    retry: 'changed',
    see: ['OPERATION_REQUIRED', 'SERVER_NOT_ACCESSIBLE', 'ROLE_REQUIRED', 'ROLE_LACKING'],
    guides: { 'What a project may do in a server': 'reference/grants.md' },
  },
  OPERATION_REQUIRED: {
    status: 403,
    title: 'The project may not manage its inbound webhooks: MANAGE_WEBHOOKS is missing.',
    fix:
      'Ask a System Admin to grant MANAGE_WEBHOOKS in any one server, on the console’s Access page, or ' +
      'with PUT /api/admin/projects/{projectId}/servers/{serverId}. Without it, a System Admin or a ' +
      'project owner can manage the webhooks in the console.',
    area: 'access',
    retry: 'changed',
    see: ['SCOPE_REQUIRED', 'ROLE_REQUIRED', 'ROLE_LACKING'],
    guides: { 'What a project may do in a server': 'reference/grants.md' },
  },
  ROLE_REQUIRED: {
    status: 403,
    title: 'You do not have a role that can read these submissions.',
    fix:
      'Ask an admin of the community for one of the roles in `allowedRoleIds` of the webhook. A System ' +
      'Admin or a project owner can change the list with PATCH ' +
      '/api/admin/projects/{projectId}/inbound-webhooks/{id}.',
    note:
      'In your own app, requireMember and the guards of the client libraries return the same code: the ' +
      'member then needs one of the roles that your app requires.',
    area: 'webhooks',
    retry: 'changed',
    see: ['ROLE_LACKING', 'SCOPE_REQUIRED', 'OPERATION_REQUIRED'],
    guides: {
      'Read the submissions': 'guides/inbound-webhooks.md#4-read-the-submissions',
      'When a visitor opens a page of your app': 'guides/errors.md#when-a-visitor-opens-a-page',
    },
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    title: 'The `Origin` header is missing, or is not in `acceptedOrigins` of the webhook.',
    fix:
      'Submit from a page of an accepted origin. If your client is not a browser, send an accepted origin ' +
      'in the `Origin` header. A System Admin or a project owner can change `acceptedOrigins` on the ' +
      'project’s Inbound webhooks tab in the console: an empty list accepts every request.',
    area: 'webhooks',
    retry: 'corrected',
    see: ['CROSS_SITE_REQUEST'],
    guides: { 'Errors of inbound webhooks': 'guides/inbound-webhooks.md#errors' },
  },
  NOT_SYSTEM_ADMIN: {
    status: 403,
    title: 'System Admin access is required.',
    fix:
      'Sign in to the console, or with `rolecall login`, as a System Admin. Owners and auditors: ask a System ' +
      'Admin. System Admins have the role in the main server whose ID is set in CHAT_ADMIN_ROLE_ID.',
    when:
      'Auditors and owners of projects receive this error, too, where their rights end: auditors can only ' +
      'read, and owners can read and change only parts of their own projects. Session tokens of projects ' +
      'are never accepted.',
    area: 'admin',
    retry: 'changed',
    see: ['LOGIN_REFUSED', 'INVALID_TOKEN'],
    guides: {
      'Who administers?': 'concepts/access.md#who-administers',
      'I cannot open the console (403)': 'troubleshooting.md#i-cannot-open-the-console-403',
    },
  },
  MEMBER_BLOCKED: {
    status: 403,
    title: 'An admin of the community has blocked this member.',
    fix:
      'Do not try again: until the block ends, signing in again does not help. A System Admin can remove ' +
      'the block with Unblock on the member’s page in the console, or with DELETE ' +
      '/api/admin/members/{id}/block.',
    area: 'signIn',
    retry: 'changed',
    see: ['LOGIN_REFUSED'],
    guides: { 'Block a member': 'concepts/revocation.md#block-a-member' },
  },
  METRICS_LOCAL_ONLY: {
    status: 403,
    title: 'Metrics are available only on the host of the service, because METRICS_TOKEN is not set.',
    fix:
      'Set METRICS_TOKEN, restart the service, and send the header Authorization: Bearer <METRICS_TOKEN>. ' +
      'Without a token, send the request to 127.0.0.1 on the same machine, or from inside the container, and ' +
      'not through a proxy.',
    area: 'service',
    retry: 'configured',
    see: ['INVALID_METRICS_TOKEN'],
    guides: { Metrics: 'guides/monitoring.md#metrics' },
  },
  CROSS_SITE_REQUEST: {
    status: 403,
    title: 'This request is accepted only from a page of the same origin.',
    fix:
      'Open the page again in a tab of its own, not embedded in another site, and repeat the action there. ' +
      'In a program, send the session token in the header Authorization: Bearer.',
    area: 'admin',
    retry: 'corrected',
    see: ['NAVIGATION_REQUIRED', 'ORIGIN_NOT_ALLOWED'],
  },
  NAVIGATION_REQUIRED: {
    status: 403,
    title: 'This address must be opened as a page. Scripts and frames cannot request it.',
    fix:
      'Open this address in the browser window: use a link, a redirect, or `location.assign`, not `fetch` ' +
      'or a frame.',
    area: 'signIn',
    retry: 'corrected',
    see: ['CROSS_SITE_REQUEST'],
  },

  NOT_FOUND: {
    status: 404,
    title: 'There is no endpoint or page at this path.',
    fix:
      'Check the path: /api/docs lists every endpoint. In the client libraries, ROLECALL_URL is the address ' +
      'of the service without `/api`.',
    area: 'request',
    retry: 'corrected',
    see: ['METHOD_NOT_ALLOWED'],
  },
  PROJECT_NOT_FOUND: {
    status: 404,
    title: 'No project has this ID, or it was deleted.',
    fix:
      'Check the project ID: copy it from the project’s page in the console, or from GET ' +
      '/api/admin/projects.',
    area: 'admin',
    retry: 'corrected',
    see: ['UNKNOWN_PROJECT'],
  },
  SERVER_NOT_FOUND: {
    status: 404,
    title: 'This Discord server is not registered in Rolecall.',
    fix:
      'Check the server ID: the console’s Servers page and GET /api/admin/servers list all registered ' +
      'servers. A System Admin can register the server there, or with POST /api/admin/servers.',
    area: 'admin',
    retry: 'corrected',
    see: ['SERVER_NOT_ACCESSIBLE', 'BOT_NOT_IN_SERVER'],
    guides: { 'Servers and members': 'guides/administering.md#servers-and-members' },
  },
  SESSION_NOT_FOUND: {
    status: 404,
    title: 'No active session has this ID.',
    fix:
      'Check the ID, and whether the session has already ended. GET /api/auth/sessions lists your own ' +
      'sessions. The Sessions tab of a member in the console and GET /api/admin/members/{id}/sessions list ' +
      'the sessions of that member.',
    area: 'sessions',
    retry: 'corrected',
    see: ['INVALID_TOKEN'],
    guides: { 'What ends a session': 'concepts/revocation.md#what-ends-a-session' },
  },
  API_KEY_NOT_FOUND: {
    status: 404,
    title: 'The project does not have this key.',
    fix: 'Use the `id` of a key from GET /api/admin/projects/{id}/keys, not the key or its prefix.',
    area: 'access',
    retry: 'corrected',
    see: ['API_KEY_NOT_NEWEST'],
  },
  MEMBER_NOT_FOUND: {
    status: 404,
    title: 'Rolecall does not know this member, or the member is not in this server.',
    fix:
      'Check the member ID. If the path contains a server, check the server ID, too: a project can read ' +
      'only current members of that server. If the path contains no server, wait for the member’s first ' +
      'sign-in, or sync one of their servers.',
    area: 'members',
    retry: 'corrected',
    see: ['SCOPE_REQUIRED'],
    guides: { 'Servers and members': 'guides/administering.md#servers-and-members' },
  },
  REDIRECT_URI_NOT_FOUND: {
    status: 404,
    title: 'The project does not have this redirect URI.',
    fix:
      'Send `uri` exactly as it is in `redirectUris` of GET /api/admin/projects/{id}, and percent-encode it ' +
      'in the query: `?uri=https%3A%2F%2Fapp.example%2Fauth%2Fcallback`.',
    area: 'admin',
    retry: 'corrected',
    see: ['REDIRECT_URI_NOT_ALLOWED'],
    guides: { 'Rules for redirect URIs': 'guides/first-project.md#rules-for-redirect-uris' },
  },
  ACCESS_NOT_FOUND: {
    status: 404,
    title: 'The project has no access to this server.',
    fix:
      'Check the project ID and the server ID. The console’s Access page and GET ' +
      '/api/admin/projects/{projectId}/servers list the servers to which the project has access.',
    area: 'access',
    retry: 'corrected',
    see: ['SERVER_NOT_FOUND', 'PROJECT_NOT_FOUND'],
    guides: { 'See who has access': 'guides/administering.md#see-who-has-access' },
  },
  IMAGE_NOT_FOUND: {
    status: 404,
    title: 'There is no current image with this ID and hash.',
    fix:
      'Read the `avatar` of the member or the `icon` of the server again, and use the current hash. The ' +
      'image of this hash was replaced or removed.',
    area: 'members',
    retry: 'corrected',
    see: ['LOGO_NOT_FOUND'],
  },
  LOGO_NOT_FOUND: {
    status: 404,
    title: 'This project does not exist, or has no logo.',
    fix:
      'Check the project ID. A System Admin or a project owner can set a logo under Branding, on the ' +
      'project’s Settings tab in the console, or with PUT /api/admin/projects/{id}/logo.',
    area: 'admin',
    retry: 'corrected',
    see: ['IMAGE_NOT_FOUND', 'PROJECT_NOT_FOUND'],
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    title: 'No inbound webhook with this ID or slug is in this project.',
    fix:
      'Check the ID or slug. The webhook must belong to the project of the API key, of the session, or in ' +
      'the path. The Inbound webhooks tab of the project in the console lists its webhooks. So do GET ' +
      '/api/admin/projects/{projectId}/inbound-webhooks and, with a key of a project that has ' +
      'MANAGE_WEBHOOKS, GET /api/inbound-webhooks.',
    area: 'webhooks',
    retry: 'corrected',
    see: ['WEBHOOK_INACTIVE'],
    guides: { 'Errors of inbound webhooks': 'guides/inbound-webhooks.md#errors' },
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    title: 'The project has no delivery with this ID, or it was deleted.',
    fix:
      'Use an ID from the list of the same kind: events (GET /api/admin/projects/{id}/event-deliveries), ' +
      'notices (GET /api/admin/projects/{id}/deliveries), or logouts (GET ' +
      '/api/admin/projects/{id}/logout-deliveries). The console shows them on the project’s Events and ' +
      'OpenID Connect tabs.',
    note:
      'Finished event deliveries are deleted 7 days after their creation, and those of notices and logouts ' +
      'after 30 days. Those about an erased member are deleted earlier.',
    area: 'deliveries',
    retry: 'corrected',
    guides: { 'Webhooks and events fail': 'troubleshooting.md#webhooks-and-events-fail' },
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'This endpoint does not support the method of the request.',
    fix: 'Use a method from the Allow header of the response.',
    area: 'request',
    retry: 'corrected',
    see: ['NOT_FOUND'],
  },
  REQUEST_TIMEOUT: {
    status: 408,
    title: 'The request did not arrive in time.',
    fix:
      'Send the headers within five seconds, and the whole request within ten seconds. You can repeat the ' +
      'request, because it was not processed.',
    area: 'request',
    retry: 'again',
    see: ['SERVICE_OVERLOADED'],
    guides: { 'Under pressure': 'guides/running.md#under-pressure' },
  },

  OWN_ACCOUNT: {
    status: 409,
    title: 'Administrators cannot block or erase their own account.',
    fix: 'Ask another System Admin to do it.',
    area: 'members',
    retry: 'no',
  },
  HOST_TAKEN: {
    status: 409,
    title: 'Another project already protects one of these hosts.',
    fix:
      'Choose another host. If you want to move the host, first remove it on the other project’s Proxy tab ' +
      'in the console. Then repeat this request.',
    note:
      'To find the other project, call GET /api/admin/projects. To remove the host with the API, send ' +
      'PATCH /api/admin/projects/{id} for that project, with only its remaining hosts in ' +
      'forwardAuth.hosts.',
    area: 'proxy',
    retry: 'corrected',
    see: ['HOST_UNKNOWN'],
    guides: { 'Add the host by API': 'guides/forward-auth.md#add-the-host-by-api' },
  },
  RESOURCE_TAKEN: {
    status: 409,
    title: 'Another project already has one of the URIs in `oidc.resources`.',
    fix:
      'Choose another URI. If you want to move the URI, first remove it on the other project’s OpenID ' +
      'Connect tab in the console. Then repeat this request.',
    note:
      'To find the other project, call GET /api/admin/projects. To remove the URI with the API, send PATCH ' +
      '/api/admin/projects/{id} for that project, with only its remaining URIs in oidc.resources.',
    area: 'admin',
    retry: 'corrected',
    see: ['HOST_TAKEN'],
    guides: { 'API tokens': 'guides/api-tokens.md' },
  },
  PROJECT_NAME_TAKEN: {
    status: 409,
    title: 'Another project already has this name.',
    fix: 'Choose another name. Project names are not case-sensitive.',
    area: 'admin',
    retry: 'corrected',
  },
  API_KEY_NOT_NEWEST: {
    status: 409,
    title: 'The key in the request is not the project’s newest key.',
    fix:
      'List the keys again: GET /api/admin/projects/{id}/keys. To replace or restore the newest key, send ' +
      'its `id` as `keyId`. You can revoke an older key, but not replace it.',
    area: 'access',
    retry: 'corrected',
    see: ['API_KEY_NOT_FOUND', 'NO_REVOKED_KEY'],
    guides: { 'Revoke or restore an API key': 'guides/administering.md#revoke-or-restore-an-api-key' },
  },
  NO_REVOKED_KEY: {
    status: 409,
    title: 'There is no key to restore: the project’s newest key is not revoked, or has expired.',
    fix:
      'Use the current key, or add one, on the project’s Keys tab in the console or with POST ' +
      '/api/admin/projects/{id}/keys. Adding a key does not revoke the others.',
    area: 'access',
    retry: 'no',
    see: ['API_KEY_NOT_NEWEST'],
    guides: { 'Revoke or restore an API key': 'guides/administering.md#revoke-or-restore-an-api-key' },
  },
  API_KEY_LIMIT_REACHED: {
    status: 409,
    title: 'The project already has five valid keys.',
    fix:
      'Revoke a key that you no longer need, on the project’s Keys tab in the console or with DELETE ' +
      '/api/admin/projects/{id}/keys/{keyId}. The tab and GET /api/admin/projects/{id}/keys show when each ' +
      'key was last used.',
    area: 'access',
    retry: 'changed',
    guides: {
      'Rotate an API key without downtime': 'guides/administering.md#rotate-an-api-key-without-downtime',
    },
  },
  MAIN_SERVER_EXISTS: {
    status: 409,
    title: 'Another server is already the main server.',
    fix:
      'Omit isMain to register an additional server. To replace the main server, follow the steps of the ' +
      'error MAIN_SERVER_REQUIRED.',
    area: 'admin',
    retry: 'corrected',
    see: ['MAIN_SERVER_REQUIRED', 'SERVER_EXISTS'],
  },
  MAIN_SERVER_REQUIRED: {
    status: 409,
    title: 'This server cannot be removed, because its roles decide who is a System Admin.',
    fix:
      'Choose another main server first, on the servers’ pages in the console or with the API. 1. Send ' +
      'PATCH /api/admin/servers/{serverId} for this server with {"isMain":false}. 2. Send it for the other ' +
      'server with {"isMain":true}. From then on, no System Admin has access until step 3 is done. 3. Set ' +
      'CHAT_GUILD_ID, CHAT_ADMIN_ROLE_ID, and, if you use it, CHAT_AUDITOR_ROLE_ID to IDs of the new main ' +
      'server, and restart the service. 4. Sign in again, and remove this server.',
    area: 'admin',
    retry: 'changed',
    see: ['MAIN_SERVER_EXISTS'],
  },
  SERVER_EXISTS: {
    status: 409,
    title: 'This server is already registered.',
    fix:
      'Use the registered server, which is on the console’s Servers page. If there is no main server, ' +
      'PATCH /api/admin/servers/{serverId} with {"isMain":true} makes this one the main server. To replace ' +
      'a main server, follow steps 1 to 3 of the error MAIN_SERVER_REQUIRED.',
    area: 'admin',
    retry: 'no',
    see: ['MAIN_SERVER_EXISTS', 'MAIN_SERVER_REQUIRED'],
  },

  WEBHOOK_LIMIT_REACHED: {
    status: 409,
    title: 'The project has reached its limit of inbound webhooks.',
    fix:
      'Delete a webhook that you no longer need, on the project’s Inbound webhooks tab in the console. Or ' +
      'ask a System Admin to increase maxWebhooksPerProject on the console’s Settings page.',
    note: 'The default of maxWebhooksPerProject is MAX_WEBHOOKS_PER_PROJECT.',
    area: 'webhooks',
    retry: 'changed',
  },
  WEBHOOK_SLUG_TAKEN: {
    status: 409,
    title: 'Another inbound webhook of the project already has this slug.',
    fix: 'Choose another slug. When you create a webhook, you can also omit the slug to generate one.',
    area: 'webhooks',
    retry: 'corrected',
  },
  WEBHOOK_URL_MISSING: {
    status: 409,
    title: 'The project has no address for notices.',
    fix:
      'Set webhookUrl of the project under Notices, on its Events tab in the console, or with PATCH ' +
      '/api/admin/projects/{id}. Then send the notice again.',
    area: 'deliveries',
    retry: 'changed',
    see: ['EVENTS_URL_MISSING', 'LOGOUT_URI_MISSING'],
    guides: { 'Notices and events': 'guides/running.md#notices-and-events' },
  },
  EVENTS_URL_MISSING: {
    status: 409,
    title: 'The project has no address for events, or Rolecall has disabled delivery to this address.',
    fix:
      'Set eventsUrl of the project, on its Events tab in the console or with PATCH ' +
      '/api/admin/projects/{id}. If delivery is disabled, fix the receiver, and set the same address again ' +
      'to enable it. Then repeat this request.',
    area: 'deliveries',
    retry: 'changed',
    see: ['WEBHOOK_URL_MISSING', 'LOGOUT_URI_MISSING'],
    guides: { 'Events by webhook': 'guides/events.md#by-webhook' },
  },
  LOGOUT_URI_MISSING: {
    status: 409,
    title: 'The project has no address for logouts, or is not an OpenID Connect client.',
    fix:
      'Set oidc.backchannelLogoutUri, and oidc.enabled to true, on the project’s OpenID Connect tab in the ' +
      'console or with PATCH /api/admin/projects/{id}. Then send the logout again.',
    area: 'deliveries',
    retry: 'changed',
    see: ['EVENTS_URL_MISSING', 'WEBHOOK_URL_MISSING'],
    guides: { 'Connect the software': 'guides/openid-connect.md#connect-the-software' },
  },
  SIGNATURE_REPLAYED: {
    status: 409,
    title: 'This signature was already used.',
    fix:
      'Sign each submission again with the current time. To send the same body twice, wait at least one ' +
      'second: within one second, both submissions have the same signature. To retry a submission, also ' +
      'send the same Idempotency-Key: Rolecall then returns the first response.',
    area: 'webhooks',
    retry: 'corrected',
    see: ['SIGNATURE_INVALID', 'IDEMPOTENCY_KEY_REUSED'],
    guides: { 'Retry safely': 'guides/inbound-webhooks.md#5-retry-safely' },
  },
  CURSOR_UNKNOWN: {
    status: 410,
    title: 'This cursor is unknown or no longer valid.',
    fix:
      'List all members of the server again, and keep the changeCursor of the first page. Replace your copy ' +
      'with the list, and then continue with that changeCursor.',
    area: 'members',
    retry: 'corrected',
  },
  WEBHOOK_INACTIVE: {
    status: 410,
    title: 'The inbound webhook is inactive.',
    fix:
      'Do not send the submission again until the webhook is active. A System Admin or a project owner can ' +
      'turn on Accepts submissions, on the project’s Inbound webhooks tab in the console, or send PATCH ' +
      '/api/admin/projects/{projectId}/inbound-webhooks/{id} with {"isActive":true}.',
    area: 'webhooks',
    retry: 'changed',
    see: ['WEBHOOK_NOT_FOUND'],
    guides: { 'Errors of inbound webhooks': 'guides/inbound-webhooks.md#errors' },
  },

  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'The request body is too large.',
    fix: 'Send a smaller body. Each endpoint has its own limit.',
    note: 'The response’s `detail` names the limit.',
    area: 'request',
    retry: 'corrected',
    see: ['URI_TOO_LONG', 'HEADERS_TOO_LARGE'],
  },
  URI_TOO_LONG: {
    status: 414,
    title: 'A path segment has more than 256 characters.',
    fix: 'Check how your program builds the path: an ID or a name in it can have at most 256 characters.',
    area: 'request',
    retry: 'corrected',
    see: ['HEADERS_TOO_LARGE'],
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'The headers do not declare a JSON body.',
    fix: 'Send the body with Content-Type: application/json, in UTF-8 and uncompressed.',
    area: 'request',
    retry: 'corrected',
    see: ['UPLOAD_TYPE_UNSUPPORTED', 'MALFORMED_JSON'],
  },
  UPLOAD_TYPE_UNSUPPORTED: {
    status: 415,
    title: 'This endpoint does not accept the media type of the file.',
    fix: 'Send the file in an accepted media type, name this type in Content-Type, and omit Content-Encoding.',
    area: 'request',
    retry: 'corrected',
    see: ['UNSUPPORTED_MEDIA_TYPE', 'IMAGE_INVALID'],
  },
  EXPECTATION_FAILED: {
    status: 417,
    title: 'The only supported value of Expect is 100-continue.',
    fix: 'Omit the Expect header, or send 100-continue.',
    area: 'request',
    retry: 'corrected',
  },
  PAYLOAD_INVALID: {
    status: 422,
    title: 'The payload does not match the webhook’s schema.',
    fix:
      'Correct the fields in `errors`. Each `path` names one field of the payload. To check a payload ' +
      'without storing it, use Try a payload on the webhook’s page in the console.',
    area: 'webhooks',
    retry: 'corrected',
    see: ['VALIDATION_FAILED'],
    guides: { 'Errors of inbound webhooks': 'guides/inbound-webhooks.md#errors' },
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'This Idempotency-Key was already used with another payload.',
    fix:
      'Use a new Idempotency-Key for each new payload. Within 24 hours, reuse a key only for the same ' +
      'bytes.',
    area: 'webhooks',
    retry: 'corrected',
    see: ['SIGNATURE_REPLAYED'],
    guides: { 'Retry safely': 'guides/inbound-webhooks.md#5-retry-safely' },
  },
  BOT_NOT_IN_SERVER: {
    status: 422,
    title: 'The bot has no access to this server on Discord.',
    fix:
      'Check the server ID. If it is correct, invite the bot to the server with the link on the console’s ' +
      'Servers page, and then register the server.',
    area: 'admin',
    retry: 'changed',
    see: ['SERVER_NOT_FOUND'],
    guides: { 'The runbook RolecallBotNotInServer': 'runbooks/RolecallBotNotInServer.md' },
  },
  RATE_LIMITED: {
    status: 429,
    title: 'This caller sent more requests than its limit allows.',
    fix:
      'Wait for the number of seconds in Retry-After, then try again. If all callers share the IP address ' +
      'of your reverse proxy, ask the operator to add the proxy to TRUST_PROXY.',
    when: 'Requests are counted per API key, per session, or, without either, per IP address.',
    area: 'service',
    retry: 'later',
    see: ['SERVICE_OVERLOADED'],
    guides: {
      'API requests fail': 'troubleshooting.md#api-requests-fail',
    },
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: 'The request headers are too large.',
    fix:
      'Send fewer or shorter headers, or a shorter query. Cookies are often the longest: delete those of ' +
      'this site, and try again.',
    area: 'request',
    retry: 'corrected',
    see: ['URI_TOO_LONG', 'PAYLOAD_TOO_LARGE'],
  },

  INTERNAL_ERROR: {
    status: 500,
    title: 'An unexpected error occurred in the service.',
    fix:
      'Check whether the request took effect, because it may have. Repeat it only if that is safe. If the ' +
      'error persists, send the requestId to the operator, who can find the cause in the log.',
    area: 'service',
    retry: 'ifSafe',
    see: ['DATABASE_UNAVAILABLE'],
    guides: { 'Log lines': 'guides/monitoring.md#log-lines' },
  },
  ENCRYPTION_KEY_MISSING: {
    status: 500,
    title: 'An encryption key is not configured.',
    fix:
      'Ask the operator to set INBOUND_WEBHOOK_ENCRYPTION_KEY and OUTBOUND_WEBHOOK_ENCRYPTION_KEY to 64 ' +
      'hexadecimal characters each (`openssl rand -hex 32`), and to restart the service. If there was a key ' +
      'before, set the same key again: a new key cannot read the stored secrets.',
    area: 'service',
    retry: 'configured',
    see: ['SECRET_UNREADABLE'],
    guides: { 'Backups and keys': 'guides/running.md#backups-and-keys' },
  },
  SECRET_UNREADABLE: {
    status: 500,
    title: 'Rolecall cannot decrypt a stored secret, because the encryption key has changed.',
    fix:
      'Ask the operator to set the former key again, and to restart the service: ' +
      'INBOUND_WEBHOOK_ENCRYPTION_KEY for the secret of an inbound webhook, ' +
      'OUTBOUND_WEBHOOK_ENCRYPTION_KEY for webhookUrl. If the key is lost, replace the secret on the ' +
      'project’s Inbound webhooks tab in the console, or save webhookUrl again under Notices on the Events ' +
      'tab.',
    area: 'service',
    retry: 'configured',
    see: ['ENCRYPTION_KEY_MISSING'],
    guides: {
      'I lost the encryption key': 'troubleshooting.md#i-lost-the-encryption-key',
      'Replace an encryption key': 'guides/running.md#replace-an-encryption-key',
    },
  },
  CHAT_PLATFORM_UNAVAILABLE: {
    status: 503,
    title: 'Discord does not respond, or rejects the requests of this service.',
    fix:
      'Try again after the number of seconds in Retry-After. Keep members signed in: their sessions stay ' +
      'valid. If the error persists, ask the operator to run `rolecall doctor`.',
    when:
      'A session check returns this error only if the stored roles are older than 24 hours. The console ' +
      'and the admin API return it if the service could not confirm the administrator’s roles with ' +
      'Discord for five minutes.',
    area: 'service',
    retry: 'later',
    see: ['DATABASE_UNAVAILABLE'],
    guides: {
      'Discord is down': 'troubleshooting.md#discord-is-down',
      'The connection to Discord': 'guides/running.md#the-connection-to-discord',
    },
  },
  LOGIN_NOT_CONFIGURED: {
    status: 503,
    title: 'Sign-in is not configured: the OAuth client of Discord is missing.',
    fix:
      'Ask the operator to set CHAT_CLIENT_ID and CHAT_CLIENT_SECRET, and to restart the service. The ' +
      'command `rolecall doctor` lists missing values.',
    area: 'signIn',
    retry: 'configured',
    guides: { 'Check the installation': 'guides/installing.md#2-check-the-installation' },
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    title: 'The database cannot serve this request right now.',
    fix:
      'Wait for the number of seconds in Retry-After, then try again. Keep members signed in: their ' +
      'sessions stay valid. If the request changes something, check first whether it took effect. If the ' +
      'request exchanges a code, start a new sign-in instead. If the error persists, ask the operator to ' +
      'run `rolecall doctor`.',
    area: 'service',
    retry: 'ifSafe',
    see: ['CHAT_PLATFORM_UNAVAILABLE', 'SERVICE_OVERLOADED'],
    guides: {
      'The database is down': 'troubleshooting.md#the-database-is-down',
      'The disk is full': 'troubleshooting.md#the-disk-is-full',
    },
  },
  SERVICE_OVERLOADED: {
    status: 503,
    title: 'The service is overloaded.',
    fix:
      'Wait for the number of seconds in Retry-After, then send the request again: the service did not ' +
      'process it. If the error persists, tell the operator.',
    area: 'service',
    retry: 'later',
    see: ['RATE_LIMITED'],
    guides: { 'Under pressure': 'guides/running.md#under-pressure' },
  },
})

/** The stable name of a refusal. */
export type ErrorCode = keyof typeof errors
