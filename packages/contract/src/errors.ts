/** One row of the error table: what a refusal is called, its HTTP status and its fixed sentence. */
export interface ErrorDefinition {
  readonly status: number
  readonly title: string
  /** The code on the wire where it differs from the row's name: one refusal, another status. */
  readonly code?: string
}

const define = <const Table extends Record<string, ErrorDefinition>>(table: Table) => table

/**
 * Every refusal of the service. The status lives in the row, so nothing else maps codes to statuses.
 * Codes are stable: clients may switch on them.
 */
export const errors = define({
  VALIDATION_FAILED: { status: 400, title: 'The request is invalid.' },
  MALFORMED_JSON: { status: 400, title: 'The request body is not valid JSON.' },
  BAD_REQUEST: { status: 400, title: 'The request could not be understood.' },
  UNKNOWN_PROJECT: { status: 400, title: 'No project has this client_id.' },
  LOGIN_REQUEST_INVALID: { status: 400, title: 'This login request is unknown, expired or already used.' },
  CHALLENGE_WITHOUT_VERIFIER: {
    status: 400,
    title: 'This code was requested with PKCE: codeVerifier is required.',
  },

  INVALID_API_KEY: { status: 401, title: 'The API key is missing, malformed, unknown or revoked.' },
  PROJECT_INACTIVE: { status: 401, title: 'The project is inactive.' },
  INVALID_TOKEN: { status: 401, title: 'The session token is missing, invalid, expired or revoked.' },
  INVALID_CODE: { status: 401, title: 'The code is invalid, expired or already used.' },
  INVALID_REFRESH_TOKEN: { status: 401, title: 'The refresh token does not belong to this session.' },
  REFRESH_TOKEN_SUPERSEDED: {
    status: 401,
    title: 'This pair was rotated a moment ago: use the pair that rotation answered.',
  },
  REFRESH_TOKEN_REUSED: {
    status: 401,
    title: 'This pair was used long ago. The session was revoked, because one of its holders may be a thief.',
  },

  INVALID_METRICS_TOKEN: { status: 401, title: 'The metrics token is missing or wrong.' },
  SIGNATURE_INVALID: { status: 401, title: 'The signature is missing, malformed, wrong or too old.' },

  PROJECT_INACTIVE_AT_LOGIN: { status: 403, title: 'The project is inactive.', code: 'PROJECT_INACTIVE' },
  REDIRECT_URI_NOT_ALLOWED: { status: 403, title: 'The redirect URI is not on the list of the project.' },
  SERVER_NOT_ACCESSIBLE: { status: 403, title: 'The project has no access to this server.' },
  SCOPE_REQUIRED: { status: 403, title: 'The project lacks the scope for this in that server.' },
  OPERATION_REQUIRED: { status: 403, title: 'The project lacks the operation for this.' },
  ROLE_REQUIRED: { status: 403, title: 'Reading these submissions takes a role that you do not hold.' },
  ORIGIN_NOT_ALLOWED: { status: 403, title: 'The origin is not on the list of the webhook.' },
  NOT_SYSTEM_ADMIN: { status: 403, title: 'System Admin access is required.' },
  METRICS_LOCAL_ONLY: {
    status: 403,
    title: 'Metrics are answered on this machine only, until METRICS_TOKEN is set.',
  },
  CROSS_SITE_REQUEST: { status: 403, title: 'The cookie is only taken from pages of this service.' },
  NAVIGATION_REQUIRED: {
    status: 403,
    title: 'Open this address in a browser window: a page must neither fetch nor embed it.',
  },

  NOT_FOUND: { status: 404, title: 'There is nothing at this address.' },
  PROJECT_NOT_FOUND: { status: 404, title: 'Project not found.' },
  SERVER_NOT_FOUND: { status: 404, title: 'Server not found.' },
  SESSION_NOT_FOUND: { status: 404, title: 'Session not found.' },
  MEMBER_NOT_FOUND: { status: 404, title: 'Member not found.' },
  ACCESS_NOT_FOUND: { status: 404, title: 'The project has no mapping to this server.' },
  WEBHOOK_NOT_FOUND: { status: 404, title: 'Inbound webhook not found.' },
  DELIVERY_NOT_FOUND: { status: 404, title: 'Notification not found.' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'This address takes other methods: see the Allow header.' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request did not arrive in time.' },

  PROJECT_NAME_TAKEN: { status: 409, title: 'Another project has this name.' },
  NO_REVOKED_KEY: { status: 409, title: 'The newest key of the project is not revoked.' },
  MAIN_SERVER_EXISTS: { status: 409, title: 'Another server is the main server.' },
  MAIN_SERVER_REQUIRED: {
    status: 409,
    title: 'This server decides who is a System Admin and cannot be removed.',
  },
  SERVER_EXISTS: { status: 409, title: 'This server is already registered.' },

  WEBHOOK_LIMIT_REACHED: { status: 409, title: 'The project has as many inbound webhooks as it may.' },
  WEBHOOK_SLUG_TAKEN: { status: 409, title: 'Another inbound webhook of the project has this slug.' },
  WEBHOOK_URL_MISSING: { status: 409, title: 'The project has no webhook address to send to.' },
  SIGNATURE_REPLAYED: { status: 409, title: 'This signature was already used.' },
  WEBHOOK_INACTIVE: { status: 410, title: 'The inbound webhook is inactive.' },

  PAYLOAD_TOO_LARGE: { status: 413, title: 'The request body is too large.' },
  URI_TOO_LONG: { status: 414, title: 'The address is too long.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Send the body as application/json.' },
  EXPECTATION_FAILED: { status: 417, title: 'Of Expect, nothing but 100-continue is met.' },
  PAYLOAD_INVALID: { status: 422, title: 'The payload does not fit the schema of the webhook.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'This Idempotency-Key came with another payload before.' },
  BOT_NOT_IN_SERVER: {
    status: 422,
    title: 'The chat platform does not show this server to the bot: invite the bot first.',
  },
  RATE_LIMITED: { status: 429, title: 'Too many requests: retry after the time in Retry-After.' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The request headers are too large.' },

  INTERNAL_ERROR: { status: 500, title: 'Something went wrong on our side.' },
  ENCRYPTION_KEY_MISSING: { status: 500, title: 'The inbound-webhook encryption key is not configured.' },
  SECRET_UNREADABLE: { status: 500, title: 'This secret was sealed under another key and cannot be read.' },
  CHAT_PLATFORM_UNAVAILABLE: { status: 503, title: 'The chat platform cannot be reached right now.' },
  DATABASE_UNAVAILABLE: { status: 503, title: 'The database cannot be reached right now.' },
  SERVICE_OVERLOADED: {
    status: 503,
    title: 'The service has more to do than it can: retry after the time in Retry-After.',
  },
  SHUTTING_DOWN: { status: 503, title: 'This instance is shutting down: retry on another.' },
})

/** The stable name of a refusal. */
export type ErrorCode = keyof typeof errors
