/** One row of the error table: the HTTP status of a refusal, and its texts. */
export interface ErrorDefinition {
  readonly status: number
  /** The problem. */
  readonly title: string
  /** The fix, which ends every `detail`. It is the same for all callers, so that it reveals no more than the code. */
  readonly mend: string
  /** The code on the wire if it differs from the row's name: the same refusal with another status. */
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
    title: 'The request is invalid.',
    mend: 'Correct the fields that `errors` lists, and send the request again.',
  },
  MALFORMED_JSON: {
    status: 400,
    title: 'The request body is not valid JSON.',
    mend: 'Send one JSON value in UTF-8, without duplicate keys in an object.',
  },
  BAD_REQUEST: {
    status: 400,
    title: 'The request is malformed.',
    mend: 'Send a well-formed request with one Host header, a valid address, and one body length.',
  },
  IMAGE_INVALID: {
    status: 400,
    title: 'The image cannot be used.',
    mend: 'Send a complete PNG or WebP image without animation, of at most 512 × 512 pixels.',
  },
  UNKNOWN_PROJECT: {
    status: 400,
    title: 'No project has this client_id.',
    mend: 'Use the ID of a project as client_id. System Admins list projects with GET /api/admin/projects.',
  },
  LOGIN_REQUEST_INVALID: {
    status: 400,
    title: 'This sign-in request is unknown, expired, or already used.',
    mend: 'Start a new sign-in. Complete it within ten minutes in a single browser that accepts cookies.',
  },
  CHALLENGE_WITHOUT_VERIFIER: {
    status: 400,
    title: 'This code was requested with PKCE, but codeVerifier is missing.',
    mend: 'Send codeVerifier, the value from which you computed code_challenge.',
  },

  LOGIN_REQUIRED: {
    status: 401,
    title: 'You are not signed in to this host.',
    mend:
      'Send the browser to the address in the Location header to sign in. If the code comes from requireMember or a guard ' +
      'in your own app, send the browser to /auth/login there.',
  },
  PROXY_NOT_TRUSTED: {
    status: 403,
    title: 'Only a trusted reverse proxy can send this request.',
    mend: 'Ask the operator to add the address of the proxy to TRUST_PROXY.',
  },
  FORWARDED_REQUEST_INVALID: {
    status: 403,
    title: 'The forwarded request is malformed or contradictory.',
    mend:
      'Configure the proxy to set X-Forwarded-Proto, X-Forwarded-Host, and X-Forwarded-Uri once each, and to remove ' +
      'X-Original-URL and all Remote-… headers from the client.',
  },
  LOGIN_LOOP: {
    status: 400,
    title: 'The proxy rewrites the redirect to the sign-in, so that it leads back to this site.',
    mend: 'Configure the proxy to pass redirects unchanged. In nginx, set `proxy_redirect off;`.',
  },
  HOST_UNKNOWN: {
    status: 403,
    title: 'No project protects this host.',
    mend:
      'Ask a System Admin to add the host to a project: PATCH /api/admin/projects/{id} with ' +
      '{"forwardAuth":{"hosts":[…]}}. The list must contain all hosts of the project.',
  },
  ROLE_LACKING: {
    status: 403,
    title: 'The account has no role that this host requires.',
    mend: 'Ask an admin of the community for the role. It takes effect immediately.',
  },
  LOGIN_REFUSED: {
    status: 403,
    title: 'The sign-in was refused.',
    mend: 'Start a new sign-in, or ask an admin of the community.',
  },
  INVALID_API_KEY: {
    status: 401,
    title: 'The API key is missing, malformed, unknown, or revoked.',
    mend:
      'Send the complete API key of the project in the header X-API-Key. If it is lost or revoked, a System Admin or an ' +
      'owner of the project can add one: POST /api/admin/projects/{id}/keys. The other keys stay valid.',
  },
  PROJECT_INACTIVE: {
    status: 401,
    title: 'The project is inactive.',
    mend: 'Ask a System Admin to activate it: PATCH /api/admin/projects/{id} with {"isActive":true}.',
  },
  INVALID_TOKEN: {
    status: 401,
    title: 'The session token is missing, invalid, expired, or revoked.',
    mend:
      'Check that you send the newest token of the session, and that the session belongs to this project. The administration ' +
      'takes the token of an admin session. If the session has ended, the member has to sign in again.',
  },
  INVALID_CODE: {
    status: 401,
    title: 'The code is invalid, expired, or already used.',
    mend:
      'Start a new sign-in and exchange its code once, within 60 seconds. Send the API key and clientId of the project, and ' +
      'the redirectUri of the sign-in.',
  },
  INVALID_REFRESH_TOKEN: {
    status: 401,
    title: 'The refresh token does not belong to this session.',
    mend: 'Send the refresh token that was issued with this session token, or sign in again.',
  },
  REFRESH_TOKEN_SUPERSEDED: {
    status: 401,
    title: 'This token pair was just refreshed.',
    mend: 'Use the pair that the other refresh returned. If that response was lost, sign in again. Send each pair only once.',
  },
  REFRESH_TOKEN_REUSED: {
    status: 401,
    title: 'The session was revoked, because this token pair was already used and may be stolen.',
    mend:
      'Sign in again. In your app, store each new pair immediately, and let only one process refresh a session at a time. ' +
      'If your app does both, another program has used a copy of the pair.',
  },

  INVALID_METRICS_TOKEN: {
    status: 401,
    title: 'The metrics token is missing or wrong.',
    mend: 'Send the header Authorization: Bearer <METRICS_TOKEN>.',
  },
  SIGNATURE_INVALID: {
    status: 401,
    title: 'The signature is missing, malformed, wrong, or too old.',
    mend:
      'Sign the Unix time in seconds, a dot, and the raw body, with HMAC-SHA-256 and the secret of the webhook. Send ' +
      'X-SVC-Signature: t=<that time>,v1=<hex>. Check the clock of the sender: the time may differ from that of the service ' +
      'by 300 seconds.',
  },

  PROJECT_INACTIVE_AT_LOGIN: {
    status: 403,
    title: 'The project is inactive.',
    mend: 'Ask a System Admin to activate it: PATCH /api/admin/projects/{id} with {"isActive":true}.',
    code: 'PROJECT_INACTIVE',
  },
  REDIRECT_URI_NOT_ALLOWED: {
    status: 403,
    title: 'The redirect URI is not registered for the project.',
    mend:
      'Use a redirect URI that matches a registered one exactly. A System Admin or an owner of the project can add it: in ' +
      'the console under Redirects, or with POST /api/admin/projects/{id}/redirect-uris.',
  },
  SERVER_NOT_ACCESSIBLE: {
    status: 403,
    title: 'The project has no access to this server.',
    mend:
      'Use a server for which the project has READ, or ask a System Admin to grant it: PUT ' +
      '/api/admin/projects/{projectId}/servers/{serverId}.',
  },
  SCOPE_REQUIRED: {
    status: 403,
    title: 'The project lacks the required scope in this server.',
    mend: 'Ask a System Admin to grant the scope that `detail` names, in `scopes` of PUT /api/admin/projects/{projectId}/servers/{serverId}.',
  },
  OPERATION_REQUIRED: {
    status: 403,
    title: 'The project lacks the required operation.',
    mend: 'Ask a System Admin to grant it in `operations` of PUT /api/admin/projects/{projectId}/servers/{serverId}.',
  },
  ROLE_REQUIRED: {
    status: 403,
    title: 'You do not have a role that can read these submissions.',
    mend:
      'Ask for one of the roles in `allowedRoleIds` of the webhook, or ask a System Admin to add your role there. If the code ' +
      'comes from requireMember or a guard in your own app, the member needs one of the roles that your app requires.',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    title: 'The webhook does not accept this origin.',
    mend: 'Submit from a listed origin, or add this origin to `acceptedOrigins` of the webhook. An empty list accepts every origin.',
  },
  NOT_SYSTEM_ADMIN: {
    status: 403,
    title: 'System Admin access is required.',
    mend:
      'Use the session of a member with the admin role in the main server, or ask an admin of the community. Auditors can ' +
      'read everything. Owners can change the keys, redirect URIs, webhooks, and some fields of their own project.',
  },
  MEMBER_BLOCKED: {
    status: 403,
    title: 'This member is blocked.',
    mend: 'Ask a System Admin to remove the block: DELETE /api/admin/members/{id}/block. Until then, a new sign-in will not help.',
  },
  METRICS_LOCAL_ONLY: {
    status: 403,
    title: 'Metrics are available only on the host of the service, because METRICS_TOKEN is not set.',
    mend:
      'Set METRICS_TOKEN, and send it in the header Authorization: Bearer <METRICS_TOKEN>. Without a token, send the request ' +
      'on the host of the service to 127.0.0.1, not through a proxy.',
  },
  CROSS_SITE_REQUEST: {
    status: 403,
    title: 'The request does not come from a page of the same site.',
    mend: 'Open the page again, and repeat the action there. Programs send the token as Authorization: Bearer.',
  },
  NAVIGATION_REQUIRED: {
    status: 403,
    title: 'Pages cannot fetch or embed this address.',
    mend: 'Open this address in the browser window, with a link or a redirect.',
  },

  NOT_FOUND: {
    status: 404,
    title: 'There is nothing at this address.',
    mend: 'Check the method and the path. /api/docs lists every endpoint.',
  },
  PROJECT_NOT_FOUND: {
    status: 404,
    title: 'Project not found.',
    mend: 'Check the ID. GET /api/admin/projects lists all projects.',
  },
  SERVER_NOT_FOUND: {
    status: 404,
    title: 'Server not found.',
    mend: 'Check the ID. GET /api/admin/servers lists all servers, and POST /api/admin/servers registers one.',
  },
  SESSION_NOT_FOUND: {
    status: 404,
    title: 'Session not found.',
    mend: 'Check the ID. GET /api/auth/sessions lists your own sessions, and GET /api/admin/members/{id}/sessions those of a member.',
  },
  API_KEY_NOT_FOUND: {
    status: 404,
    title: 'The project does not have this key.',
    mend: 'Use an ID from GET /api/admin/projects/{id}/keys.',
  },
  MEMBER_NOT_FOUND: {
    status: 404,
    title: 'Member not found.',
    mend:
      'Check the member ID. If the path contains a server, check the server ID, too: a project can read only current members ' +
      'of that server. Without a server in the path, a member is found after their first sign-in, or after a sync of one of ' +
      'their servers.',
  },
  REDIRECT_URI_NOT_FOUND: {
    status: 404,
    title: 'The project does not have this redirect URI.',
    mend: 'Use one of `redirectUris` from GET /api/admin/projects/{id}, unchanged but percent-encoded in the query.',
  },
  ACCESS_NOT_FOUND: {
    status: 404,
    title: 'The project has no access to this server.',
    mend:
      'Check both IDs. GET /api/admin/projects/{projectId}/servers lists the access of the project, and PUT ' +
      '/api/admin/projects/{projectId}/servers/{serverId} grants access.',
  },
  IMAGE_NOT_FOUND: {
    status: 404,
    title: 'Image not found.',
    mend: 'Use the ID and hash in the current `avatar` or `icon`. Images can change or be removed.',
  },
  LOGO_NOT_FOUND: {
    status: 404,
    title: 'Logo not found.',
    mend: 'Check the project ID. A System Admin or an owner of the project can set its logo: PUT /api/admin/projects/{id}/logo.',
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    title: 'Inbound webhook not found.',
    mend:
      'Check the ID or slug, and that the credential and the webhook belong to the same project. ' +
      'GET /api/inbound-webhooks lists those of an API key, and GET /api/admin/projects/{projectId}/inbound-webhooks ' +
      'those of a project.',
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    title: 'Delivery not found.',
    mend: 'Check the ID. The list of deliveries contains all that are still stored.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'This address does not support the method.',
    mend: 'Use a method from the Allow header.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    title: 'The request did not arrive in time.',
    mend: 'Send the headers within five seconds, and the whole request within ten.',
  },

  OWN_ACCOUNT: {
    status: 409,
    title: 'An administrator cannot do this to their own account.',
    mend: 'Ask another System Admin to do it.',
  },
  HOST_TAKEN: {
    status: 409,
    title: 'Another project already protects one of these hosts.',
    mend:
      'Choose another host. To move a host, first send PATCH /api/admin/projects/{id} for the other project, with only its ' +
      'remaining hosts in forwardAuth.hosts.',
  },
  RESOURCE_TAKEN: {
    status: 409,
    title: 'Another project already has one of these resources.',
    mend:
      'Choose another URI, or remove it from the other project first: PATCH /api/admin/projects/{id} of that project with ' +
      'its remaining resources in oidc.resources.',
  },
  PROJECT_NAME_TAKEN: {
    status: 409,
    title: 'Another project already has this name.',
    mend: 'Choose another name. Names are not case-sensitive.',
  },
  NO_REVOKED_KEY: {
    status: 409,
    title: 'There is no key to restore: the newest key of the project is not revoked.',
    mend: 'Use the current key, or add one: POST /api/admin/projects/{id}/keys. The other keys stay valid.',
  },
  API_KEY_LIMIT_REACHED: {
    status: 409,
    title: 'The project already has five valid keys.',
    mend: 'Revoke a key that you no longer need. GET /api/admin/projects/{id}/keys shows when each key was last used.',
  },
  MAIN_SERVER_EXISTS: {
    status: 409,
    title: 'Another server is already the main server.',
    mend: 'Omit isMain, or set it to false on the other server first.',
  },
  MAIN_SERVER_REQUIRED: {
    status: 409,
    title: 'This server cannot be removed, because its roles decide who is a System Admin.',
    mend:
      'Choose another main server first. 1. Send PATCH /api/admin/servers/{serverId} for this server with {"isMain":false}. 2. Send ' +
      'it for the other server with {"isMain":true}. From then on, no System Admin has access until step 3 is done. 3. Set ' +
      'CHAT_GUILD_ID, CHAT_ADMIN_ROLE_ID, and, if you use it, CHAT_AUDITOR_ROLE_ID to IDs of the new main server, and restart ' +
      'the service. 4. Sign in again, and remove this server.',
  },
  SERVER_EXISTS: {
    status: 409,
    title: 'This server is already registered.',
    mend: 'Use the registered server, or change it: PATCH /api/admin/servers/{serverId}.',
  },

  WEBHOOK_LIMIT_REACHED: {
    status: 409,
    title: 'The project has reached its limit of inbound webhooks.',
    mend: 'Delete a webhook that you no longer need, or ask a System Admin to increase maxWebhooksPerProject in the settings.',
  },
  WEBHOOK_SLUG_TAKEN: {
    status: 409,
    title: 'Another inbound webhook of the project already has this slug.',
    mend: 'Choose another slug, or omit it to generate one.',
  },
  WEBHOOK_URL_MISSING: {
    status: 409,
    title: 'The project has no address for notices.',
    mend: 'Set webhookUrl: PATCH /api/admin/projects/{id}.',
  },
  EVENTS_URL_MISSING: {
    status: 409,
    title: 'The project has no address for events, or delivery to it is disabled.',
    mend: 'Set eventsUrl: PATCH /api/admin/projects/{id}. If delivery is disabled, setting the same address again enables it.',
  },
  LOGOUT_URI_MISSING: {
    status: 409,
    title: 'The project has no address for logouts, or is not an OpenID Connect client.',
    mend: 'Set oidc.backchannelLogoutUri and oidc.enabled: PATCH /api/admin/projects/{id}.',
  },
  SIGNATURE_REPLAYED: {
    status: 409,
    title: 'This signature was already used.',
    mend: 'Sign every submission again. To retry one safely, send the same Idempotency-Key with it.',
  },
  CURSOR_UNKNOWN: {
    status: 410,
    title: 'This cursor is unknown or no longer valid.',
    mend:
      'List all members again, and keep the changeCursor of the first page. Replace your copy with the list, then continue ' +
      'with that changeCursor.',
  },
  WEBHOOK_INACTIVE: {
    status: 410,
    title: 'The inbound webhook is inactive.',
    mend: 'Activate it: PATCH /api/admin/projects/{projectId}/inbound-webhooks/{id} with {"isActive":true}. Do not retry before that.',
  },

  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'The request body is too large.',
    mend: 'Send a smaller body. `detail` states the limit in bytes.',
  },
  URI_TOO_LONG: { status: 414, title: 'The address is too long.', mend: 'Shorten the path or the query.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'The headers do not declare a JSON body.',
    mend: 'Send the body with Content-Type: application/json, in UTF-8 and uncompressed.',
  },
  UPLOAD_TYPE_UNSUPPORTED: {
    status: 415,
    title: 'This endpoint does not accept the media type of the file.',
    mend: 'Send the file uncompressed, with its media type as Content-Type. The API reference lists the types.',
  },
  EXPECTATION_FAILED: {
    status: 417,
    title: 'The only supported value of Expect is 100-continue.',
    mend: 'Omit the Expect header, or send 100-continue.',
  },
  PAYLOAD_INVALID: {
    status: 422,
    title: 'The payload does not match the schema of the webhook.',
    mend: 'Correct the fields that `errors` lists by their path in the payload, and submit it again.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'This Idempotency-Key was already used with another payload.',
    mend: 'Use a new Idempotency-Key for each new payload. Within 24 hours, reuse a key only for the same bytes.',
  },
  BOT_NOT_IN_SERVER: {
    status: 422,
    title: 'The bot has no access to this server on Discord.',
    mend: 'Invite the bot to the server with the link on the page Servers of the console, or correct the server ID.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests.',
    mend:
      'Wait for the number of seconds in Retry-After, then try again. Requests are counted for each API key, each session, ' +
      'or otherwise each IP address.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: 'The request headers are too large.',
    mend: 'Send fewer or shorter headers. Cookies are often the longest.',
  },

  INTERNAL_ERROR: {
    status: 500,
    title: 'An internal error occurred.',
    mend: 'Try again later. If the error persists, send the requestId to the operator, who finds the cause in the log.',
  },
  ENCRYPTION_KEY_MISSING: {
    status: 500,
    title: 'An encryption key is not configured.',
    mend:
      'Ask the operator to set INBOUND_WEBHOOK_ENCRYPTION_KEY and OUTBOUND_WEBHOOK_ENCRYPTION_KEY to 64 hexadecimal ' +
      'characters each (`openssl rand -hex 32`), and to restart the service.',
  },
  SECRET_UNREADABLE: {
    status: 500,
    title: 'This secret was encrypted with another key and cannot be read.',
    mend: 'Ask the operator to restore the former encryption key. Otherwise, create a new secret, or set the webhook address again.',
  },
  CHAT_PLATFORM_UNAVAILABLE: {
    status: 503,
    title: 'Discord does not respond, or rejects the requests of this service.',
    mend:
      'Try again after the number of seconds in Retry-After. Sessions stay valid. If the error persists, ask the operator ' +
      'to run `rolecall doctor`, which checks the bot token and the connection to Discord. A check of a session returns this ' +
      'error only when the roles are older than 24 hours, and the administration when your role has not been confirmed for ' +
      'five minutes.',
  },
  LOGIN_NOT_CONFIGURED: {
    status: 503,
    title: 'Sign-in is not configured.',
    mend:
      'Ask the operator to set CHAT_CLIENT_ID and CHAT_CLIENT_SECRET, and to restart the service. To list missing values, ' +
      'run `rolecall doctor`.',
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    title: 'The database cannot serve this request right now.',
    mend:
      'Try again after the number of seconds in Retry-After. All sessions stay valid. If the error persists, ask ' +
      'the operator to run `rolecall doctor`.',
  },
  SERVICE_OVERLOADED: {
    status: 503,
    title: 'The service is overloaded.',
    mend: 'Wait for the number of seconds in Retry-After, then try again.',
  },
})

/** The stable name of a refusal. */
export type ErrorCode = keyof typeof errors
