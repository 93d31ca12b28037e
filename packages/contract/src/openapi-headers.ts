type Json = Readonly<Record<string, unknown>>

const text = { type: 'string' }

/** The descriptions of all response headers, by name. */
export const responseHeaders = {
  'X-Request-Id': {
    description: 'Identifies the request in the log of the service, in the audit log, and in every problem.',
    required: true,
    schema: text,
    example: '5f3a9c0e1b-1f',
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry.',
    schema: { type: 'integer', minimum: 0 },
    example: 2,
  },
  RateLimit: {
    description:
      'The remaining quota, and the seconds until it resets (draft-ietf-httpapi-ratelimit-headers).',
    schema: text,
    example: '"global";r=0;t=12',
  },
  'RateLimit-Policy': {
    description: 'The limit: its quota and the length of its window in seconds.',
    schema: text,
    example: '"global";q=120;w=60',
  },
  'WWW-Authenticate': {
    description:
      'The authentication scheme: `Bearer` with a session token, or `ApiKey` in the header `X-API-Key`.',
    required: true,
    schema: text,
    example: 'Bearer realm="rolecall"',
  },
  Location: {
    description: 'The next address of the browser.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
    example: 'https://crew.example/callback?error=login_required&state=opaque',
  },
  'Set-Cookie': {
    description: 'Not readable by scripts. A `Max-Age` of 0 clears the cookie.',
    schema: text,
    example: 'svc_auth_req=…; Path=/api/auth; HttpOnly; SameSite=Lax',
  },
  'Content-Disposition': {
    description: 'The name of the file, with the date.',
    required: true,
    schema: text,
    example: 'attachment; filename="members-20260301.csv"',
  },
} as const satisfies Readonly<Record<string, Json>>

/** The name of a response header. */
export type ResponseHeader = keyof typeof responseHeaders

/** Returns references to headers of the OpenAPI document, for the description of a response. */
export const headersOf = (...names: readonly ResponseHeader[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
