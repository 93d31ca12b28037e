/** One row of the error table: the HTTP status of a refusal and its fixed sentences. */
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
    mend: 'Correct what `errors` names, each by its place, and send the request again.',
  },
  MALFORMED_JSON: {
    status: 400,
    title: 'The request body is not valid JSON.',
    mend: 'Send one JSON value as UTF-8, with each key once in its object.',
  },
  BAD_REQUEST: {
    status: 400,
    title: 'The request could not be understood.',
    mend: 'Send a well-formed request: one Host header, a valid address, and one length of the body.',
  },
  IMAGE_INVALID: {
    status: 400,
    title: 'The image cannot be used.',
    mend: 'Send a complete PNG or WebP image, not animated, of at most 512 × 512 pixels.',
  },
  UNKNOWN_PROJECT: {
    status: 400,
    title: 'No project has this client_id.',
    mend: 'Use the id of a project as client_id: GET /api/admin/projects lists them for a System Admin.',
  },
  LOGIN_REQUEST_INVALID: {
    status: 400,
    title: 'This login request is unknown, expired or already used.',
    mend: 'Begin a new login, in one browser that keeps cookies, and complete it within ten minutes.',
  },
  CHALLENGE_WITHOUT_VERIFIER: {
    status: 400,
    title: 'This code was requested with PKCE, and codeVerifier is missing.',
    mend: 'Send codeVerifier, the value that code_challenge was made from.',
  },

  LOGIN_REQUIRED: {
    status: 401,
    title: 'You are not logged in to this host.',
    mend: 'Log in: lead the browser to the address in the header Location.',
  },
  PROXY_NOT_TRUSTED: {
    status: 403,
    title: 'Only a trusted reverse proxy may ask this.',
    mend: 'The operator names the address of the proxy in TRUST_PROXY.',
  },
  FORWARDED_REQUEST_INVALID: {
    status: 403,
    title: 'The forwarded request is malformed or contradictory.',
    mend: 'Configure the proxy to set X-Forwarded-Proto, -Host and -Uri itself, each once, and to remove X-Original-URL and all Remote-… headers of the client.',
  },
  LOGIN_LOOP: {
    status: 400,
    title: 'The proxy sends the login back to this site.',
    mend: 'Configure the proxy to pass redirects unchanged. In nginx, set "proxy_redirect off;".',
  },
  HOST_UNKNOWN: {
    status: 403,
    title: 'No project protects this host.',
    mend: 'A System Admin adds it to a project: PATCH /api/admin/projects/{id} with {"forwardAuth":{"hosts":[…]}}.',
  },
  ROLE_LACKING: {
    status: 403,
    title: 'The account does not hold a role that this host asks for.',
    mend: 'Ask an admin of the community for the role; it counts at once.',
  },
  LOGIN_REFUSED: {
    status: 403,
    title: 'The login ended without a session.',
    mend: 'Begin a new login, or ask an admin of the community.',
  },
  INVALID_API_KEY: {
    status: 401,
    title: 'The API key is missing, malformed, unknown or revoked.',
    mend: 'Send the project’s whole API key in the header X-API-Key. Where it is lost or revoked, a System Admin makes a new one: POST /api/admin/projects/{id}/regenerate-api-key.',
  },
  PROJECT_INACTIVE: {
    status: 401,
    title: 'The project is inactive.',
    mend: 'A System Admin activates it: PATCH /api/admin/projects/{id} with {"isActive":true}.',
  },
  INVALID_TOKEN: {
    status: 401,
    title: 'The session token is missing, invalid, expired or revoked.',
    mend: 'Send a live session token: of this project, or for the administration one of an administrator’s login. Who has none logs in again.',
  },
  INVALID_CODE: {
    status: 401,
    title: 'The code is invalid, expired or already used.',
    mend: 'Begin a new login and exchange its code once, within 60 seconds, with the client_id, redirect_uri and key of the project that began it.',
  },
  INVALID_REFRESH_TOKEN: {
    status: 401,
    title: 'The refresh token does not belong to this session.',
    mend: 'Send the refresh token that came with this very session token, or log in again.',
  },
  REFRESH_TOKEN_SUPERSEDED: {
    status: 401,
    title: 'This pair was rotated a moment ago.',
    mend: 'Use the pair that the rotation answered, and send each pair once.',
  },
  REFRESH_TOKEN_REUSED: {
    status: 401,
    title: 'This pair was used long ago. The session was revoked, because one of its holders may be a thief.',
    mend: 'Log in again, and find out who else holds the old pair.',
  },

  INVALID_METRICS_TOKEN: {
    status: 401,
    title: 'The metrics token is missing or wrong.',
    mend: 'Send the value of METRICS_TOKEN as Authorization: Bearer.',
  },
  SIGNATURE_INVALID: {
    status: 401,
    title: 'The signature is missing, malformed, wrong or too old.',
    mend: 'Sign "t.<raw body>" with the webhook’s secret, HMAC-SHA-256, at the time of sending, and send X-SVC-Signature: t=<unix seconds>,v1=<hex>.',
  },

  PROJECT_INACTIVE_AT_LOGIN: {
    status: 403,
    title: 'The project is inactive.',
    mend: 'A System Admin activates it: PATCH /api/admin/projects/{id} with {"isActive":true}.',
    code: 'PROJECT_INACTIVE',
  },
  REDIRECT_URI_NOT_ALLOWED: {
    status: 403,
    title: 'The redirect URI is not on the list of the project.',
    mend: 'Use a redirect URI that matches the list exactly. A System Admin or an owner of the project can add this one: in the console under Redirect URIs, or with POST /api/admin/projects/{id}/redirect-uris.',
  },
  SERVER_NOT_ACCESSIBLE: {
    status: 403,
    title: 'The project has no access to this server.',
    mend: 'Use a server that the project may READ, or let a System Admin grant it: PUT /api/admin/projects/{projectId}/servers/{serverId}.',
  },
  SCOPE_REQUIRED: {
    status: 403,
    title: 'The project lacks the scope for this in that server.',
    mend: 'A System Admin grants it, in the `scopes` of PUT /api/admin/projects/{projectId}/servers/{serverId}.',
  },
  OPERATION_REQUIRED: {
    status: 403,
    title: 'The project lacks the operation for this.',
    mend: 'A System Admin grants it, in the `operations` of PUT /api/admin/projects/{projectId}/servers/{serverId}.',
  },
  ROLE_REQUIRED: {
    status: 403,
    title: 'Reading these submissions takes a role that you do not hold.',
    mend: 'Ask for one of the roles in the webhook’s `allowedRoleIds`, or let a System Admin add yours to them.',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    title: 'The origin is not on the list of the webhook.',
    mend: 'Submit from a listed origin, or add this one to the webhook’s `acceptedOrigins`; an empty list takes every origin.',
  },
  NOT_SYSTEM_ADMIN: {
    status: 403,
    title: 'System Admin access is required.',
    mend: 'Use the session of a member who holds the admin role in the main server, or ask an admin of the community. Auditors may read, owners may manage their own project.',
  },
  MEMBER_BLOCKED: {
    status: 403,
    title: 'This member is blocked.',
    mend: 'A System Admin ends the block: DELETE /api/admin/members/{id}/block. Logging in again will not help before that.',
  },
  METRICS_LOCAL_ONLY: {
    status: 403,
    title: 'Metrics are answered on this machine only, because METRICS_TOKEN is not set.',
    mend: 'Set METRICS_TOKEN and send it as Authorization: Bearer, or ask from the machine itself, past the proxy.',
  },
  CROSS_SITE_REQUEST: {
    status: 403,
    title: 'The cookie is only taken from pages of this service.',
    mend: 'Call this from a page of the service itself, or send the token as Authorization: Bearer.',
  },
  NAVIGATION_REQUIRED: {
    status: 403,
    title: 'A page must neither fetch nor embed this address.',
    mend: 'Lead the browser’s window to this address, with a link or a redirect.',
  },

  NOT_FOUND: {
    status: 404,
    title: 'There is nothing at this address.',
    mend: 'Check method and path: /api/docs lists every endpoint.',
  },
  PROJECT_NOT_FOUND: {
    status: 404,
    title: 'Project not found.',
    mend: 'Check the id: GET /api/admin/projects lists the projects that are there.',
  },
  SERVER_NOT_FOUND: {
    status: 404,
    title: 'Server not found.',
    mend: 'Check the id: GET /api/admin/servers lists the servers, and POST adds one.',
  },
  SESSION_NOT_FOUND: {
    status: 404,
    title: 'Session not found.',
    mend: 'Check the id: GET /api/auth/sessions lists your live sessions. One that is not there needs no ending.',
  },
  API_KEY_NOT_FOUND: {
    status: 404,
    title: 'The project has no such key.',
    mend: 'Use an id from GET /api/admin/projects/{id}/keys.',
  },
  MEMBER_NOT_FOUND: {
    status: 404,
    title: 'Member not found.',
    mend: 'Check the id: a member is known from their first login, or from the sync of a server they are in.',
  },
  REDIRECT_URI_NOT_FOUND: {
    status: 404,
    title: 'The project has no such redirect URI.',
    mend: 'Use one of `redirectUris` from GET /api/admin/projects/{id}, unchanged but percent-encoded in the query.',
  },
  ACCESS_NOT_FOUND: {
    status: 404,
    title: 'The project has no mapping to this server.',
    mend: 'Check both ids: GET /api/admin/projects/{projectId}/servers lists the mappings, and PUT makes one.',
  },
  IMAGE_NOT_FOUND: {
    status: 404,
    title: 'There is no such picture.',
    mend: 'Use the id and hash of the address that `avatar` or `icon` has now: pictures change, and are taken away.',
  },
  LOGO_NOT_FOUND: {
    status: 404,
    title: 'There is no such logo.',
    mend: 'Check the project ID. A System Admin or an owner of the project sets its logo: PUT /api/admin/projects/{id}/logo.',
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    title: 'Inbound webhook not found.',
    mend: 'Check id or slug, and that the credential and the webhook belong to the same project.',
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    title: 'Delivery not found.',
    mend: 'Check the id: what was sent for the project is listed for as long as it is kept.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'This address takes other methods.',
    mend: 'Use one of the methods in the header Allow.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    title: 'The request did not arrive in time.',
    mend: 'Send the whole request within ten seconds.',
  },

  OWN_ACCOUNT: {
    status: 409,
    title: 'An administrator cannot do this to their own account.',
    mend: 'Ask another System Admin to do it.',
  },
  HOST_TAKEN: {
    status: 409,
    title: 'Another project protects one of these hosts.',
    mend: 'Choose another host, or take it away from the other project first: PATCH that one with the hosts that remain.',
  },
  RESOURCE_TAKEN: {
    status: 409,
    title: 'Another project has one of these resources.',
    mend: 'Choose another URI, or remove it from the other project first: PATCH that project with the resources that remain.',
  },
  PROJECT_NAME_TAKEN: {
    status: 409,
    title: 'Another project has this name.',
    mend: 'Choose another name; upper and lower case count as the same.',
  },
  NO_REVOKED_KEY: {
    status: 409,
    title: 'The newest key of the project is not revoked.',
    mend: 'Use the key that is there, or make a new one: POST /api/admin/projects/{id}/regenerate-api-key.',
  },
  API_KEY_LIMIT_REACHED: {
    status: 409,
    title: 'The project has five keys that work.',
    mend: 'Delete one that is not needed any more: GET /api/admin/projects/{id}/keys says which are used.',
  },
  MAIN_SERVER_EXISTS: {
    status: 409,
    title: 'Another server is the main server.',
    mend: 'Leave isMain out, or take the mark from the other server first.',
  },
  MAIN_SERVER_REQUIRED: {
    status: 409,
    title: 'This server decides who is a System Admin and cannot be removed.',
    mend: 'Configure another CHAT_GUILD_ID first, and restart the service.',
  },
  SERVER_EXISTS: {
    status: 409,
    title: 'This server is already registered.',
    mend: 'Use it as it is, or change it: PATCH /api/admin/servers/{serverId}.',
  },

  WEBHOOK_LIMIT_REACHED: {
    status: 409,
    title: 'The project has as many inbound webhooks as it may.',
    mend: 'Delete a webhook that is no longer needed, or let a System Admin raise maxWebhooksPerProject in the settings.',
  },
  WEBHOOK_SLUG_TAKEN: {
    status: 409,
    title: 'Another inbound webhook of the project has this slug.',
    mend: 'Choose another slug, or leave it out to get one.',
  },
  WEBHOOK_URL_MISSING: {
    status: 409,
    title: 'The project has no webhook address to send to.',
    mend: 'Set one: PATCH /api/admin/projects/{id} with webhookUrl.',
  },
  EVENTS_URL_MISSING: {
    status: 409,
    title: 'The project has no address for events, or it is switched off.',
    mend: 'Set one, or the same one again: PATCH /api/admin/projects/{id} with eventsUrl.',
  },
  LOGOUT_URI_MISSING: {
    status: 409,
    title: 'The project has no address for logouts, or is no client of OpenID Connect.',
    mend: 'Set one: PATCH /api/admin/projects/{id} with oidc.backchannelLogoutUri, and oidc.enabled.',
  },
  SIGNATURE_REPLAYED: {
    status: 409,
    title: 'This signature was already used.',
    mend: 'Sign every submission anew. To repeat one safely, send the same Idempotency-Key with it.',
  },
  CURSOR_UNKNOWN: {
    status: 410,
    title: 'Changes after this cursor cannot be told.',
    mend: 'Begin again: list all members, delete those who are not in the list, and continue from the changeCursor of the first page.',
  },
  WEBHOOK_INACTIVE: {
    status: 410,
    title: 'The inbound webhook is inactive.',
    mend: 'Activate it: PATCH the webhook with {"isActive":true}. Do not send again before that.',
  },

  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'The request body is too large.',
    mend: 'Send a smaller body, or several requests.',
  },
  URI_TOO_LONG: { status: 414, title: 'The address is too long.', mend: 'Shorten the path and the query.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'The body is not JSON, by its headers.',
    mend: 'Send the body as Content-Type: application/json, in UTF-8 and not compressed.',
  },
  UPLOAD_TYPE_UNSUPPORTED: {
    status: 415,
    title: 'The media type of this file is not accepted here.',
    mend: 'Send the file uncompressed, with its media type as Content-Type: the API reference lists the types.',
  },
  EXPECTATION_FAILED: {
    status: 417,
    title: 'The only supported value of Expect is 100-continue.',
    mend: 'Leave the header Expect out, or send 100-continue.',
  },
  PAYLOAD_INVALID: {
    status: 422,
    title: 'The payload does not fit the schema of the webhook.',
    mend: 'Correct what `errors` names, each by its place in the payload, and submit it again.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'This Idempotency-Key came with another payload before.',
    mend: 'Use a new Idempotency-Key for every new payload, and the same key only for the same bytes.',
  },
  BOT_NOT_IN_SERVER: {
    status: 422,
    title: 'The chat platform does not show this server to the bot.',
    mend: 'Invite the bot to that server on the chat platform, or correct the server’s id.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests.',
    mend: 'Wait for the seconds in Retry-After, then try again.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: 'The request headers are too large.',
    mend: 'Send fewer or shorter headers; cookies are often the longest.',
  },

  INTERNAL_ERROR: {
    status: 500,
    title: 'Something went wrong on our side.',
    mend: 'Try again later. If it stays, tell the operator the requestId, which is in the log with the cause.',
  },
  ENCRYPTION_KEY_MISSING: {
    status: 500,
    title: 'An encryption key is not configured.',
    mend: 'The operator sets INBOUND_WEBHOOK_ENCRYPTION_KEY and OUTBOUND_WEBHOOK_ENCRYPTION_KEY, 64 hexadecimal characters each, and restarts the service.',
  },
  SECRET_UNREADABLE: {
    status: 500,
    title: 'This secret was sealed under another key and cannot be read.',
    mend: 'The operator sets the former encryption key again; otherwise make a new secret, or set the webhook address again.',
  },
  CHAT_PLATFORM_UNAVAILABLE: {
    status: 503,
    title: 'The chat platform cannot be reached right now.',
    mend: 'Try again after the seconds in Retry-After; sessions that are there go on meanwhile.',
  },
  LOGIN_NOT_CONFIGURED: {
    status: 503,
    title: 'Logging in is not configured.',
    mend: 'The operator sets CHAT_CLIENT_ID and CHAT_CLIENT_SECRET and restarts the service; rolecall doctor names what is missing.',
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    title: 'The database cannot be reached right now.',
    mend: 'Try again after the seconds in Retry-After. No member was logged out.',
  },
  SERVICE_OVERLOADED: {
    status: 503,
    title: 'The service has more to do than it can.',
    mend: 'Wait for the seconds in Retry-After, then try again.',
  },
})

/** The stable name of a refusal. */
export type ErrorCode = keyof typeof errors
