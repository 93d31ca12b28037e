const digest = 'A credential: compared by its digest, and never stored.'
const verifier = 'Letters, digits and . _ ~ - only; compared by its digest.'
const challenge = 'Letters, digits, - and _ only.'
const callback = 'The answer of the platform: used once, and not stored.'
const place = 'A path of the service or of the host; not stored as text.'
const locales = 'Kept in a cookie of the browser, where it names a language that exists.'
const slug = 'Lower-case letters, digits and hyphens only; other text is refused by `refused-text.test.ts`.'
const color = 'Six hexadecimal digits only.'
const host = 'A host or an origin; other text is refused by `refused-text.test.ts`.'
const address = 'An address of the platform; other text is refused by `refused-text.test.ts`.'
const cursor = 'Digits and hyphens only, or read as a number.'
const filter = 'Compared with words of the service, with ids or with addresses; not stored.'
const forwarded = 'What the proxy was asked for; compared with stored hosts, and not stored.'

/** The text fields of the contract that are not stored, each with the reason. */
export const reasons: Readonly<Record<string, string>> = {
  'GET /api/auth/admin/login ?return_to': place,
  'GET /api/auth/admin/login ?ui_locales': locales,
  'GET /api/auth/admin/login ?code_challenge': challenge,
  'GET /account/language ?return_to': place,
  'POST /account/consents/{projectId}/withdraw ?clientId': 'Compared with what consent stored.',
  'GET /api/auth/admin/login ?redirect_uri': 'A loopback address, a port and a fixed path only.',
  'GET /api/auth/admin/login ?state': 'Letters, digits and . _ ~ - only.',
  ...of('GET /api/auth/admin/confirm', ['?request'], digest),
  ...of('POST /api/auth/admin/confirm', ['?request'], digest),
  'POST /api/auth/admin/token /code': digest,
  'POST /api/auth/admin/token /codeVerifier': verifier,
  'GET /api/auth/authorize ?ui_locales': locales,
  'GET /api/auth/authorize ?code_challenge': challenge,
  ...of('GET /api/auth/callback', ['?code', '?state', '?iss', '?error', '?error_description'], callback),
  'GET /api/auth/sso/authorize ?redirect_uri': 'As of authorize, by the same statement.',
  'GET /api/auth/sso/authorize ?ui_locales': locales,
  'GET /api/auth/sso/authorize ?code_challenge': challenge,
  ...of('POST /api/auth/token', ['/clientId', '/redirectUri'], 'Compared with what authorize stored.'),
  'POST /api/auth/token /code': digest,
  'POST /api/auth/token /codeVerifier': verifier,
  'POST /api/auth/token X-Client-Ip': 'Stored only where it is an IP address.',
  'POST /api/auth/logout /token': digest,
  'POST /api/auth/logout-all /memberId': 'Compared with ids.',
  'POST /api/auth/token/refresh /refreshToken': digest,
  'GET /api/admin/projects/{id}/sessions ?cursor': cursor,
  ...of('POST /api/admin/projects', ['/webhookUrl'], address),
  ...of('POST /api/admin/projects', ['/forwardAuth/hosts/*', '/inboundWebhook/acceptedOrigins/*'], host),
  'POST /api/admin/projects /inboundWebhook/slug': slug,
  'PATCH /api/admin/projects/{id} /webhookUrl': address,
  'PATCH /api/admin/projects/{id} /branding/accentColor': color,
  'GET /api/projects/{id}/logo ?v': 'Compared with the hash of the image.',
  'PATCH /api/admin/projects/{id} /forwardAuth/hosts/*': host,
  'GET /api/servers/{serverId}/members ?changedSince': cursor,
  'GET /api/forward-auth ?redirect': 'A word.',
  ...of(
    'GET /api/forward-auth',
    ['X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Forwarded-Uri', 'X-Forwarded-Method'],
    forwarded,
  ),
  ...of(
    'GET /_rolecall/callback',
    ['?code', '?state', '?iss', '?error', '?error_reason', '?error_description'],
    callback,
  ),
  'GET /_rolecall/denied ?rd': place,
  'GET /_rolecall/start ?rd': 'Kept in the cookie of the attempt, and in no table.',
  ...of('POST /api/inbound-webhooks', ['/slug'], slug),
  ...of('POST /api/inbound-webhooks', ['/acceptedOrigins/*'], host),
  ...of('POST /api/admin/projects/{projectId}/inbound-webhooks', ['/slug'], slug),
  ...of('POST /api/admin/projects/{projectId}/inbound-webhooks', ['/acceptedOrigins/*'], host),
  'POST /api/inbound-webhooks/{id}/submit X-SVC-Signature': 'A time and hexadecimal digits.',
  ...of('PATCH /api/inbound-webhooks/{id}', ['/slug'], slug),
  ...of('PATCH /api/inbound-webhooks/{id}', ['/acceptedOrigins/*'], host),
  ...of('PATCH /api/admin/projects/{projectId}/inbound-webhooks/{webhookId}', ['/slug'], slug),
  ...of('PATCH /api/admin/projects/{projectId}/inbound-webhooks/{webhookId}', ['/acceptedOrigins/*'], host),
  'GET /api/events Last-Event-ID': cursor,
  'GET /api/admin/projects/{id}/event-deliveries ?cursor': cursor,
  ...of('GET /api/admin/audit/logs/export', ['?targetType', '?targetId'], filter),
  ...of('GET /api/admin/audit/logs', ['?targetType', '?targetId'], filter),
  'GET /api/admin/audit/logs ?cursor': cursor,
  ...of('GET /api/admin/monitoring/auth-failures', ['?reason', '?address', '?keyPrefix'], filter),
  'GET /api/admin/monitoring/auth-failures ?cursor': cursor,
  'GET /api/admin/refused-logins ?cursor': cursor,
  'GET /api/admin/members/{id}/history ?cursor': cursor,
  'GET /api/admin/audit/logs ?search': 'Compared with entries; not stored.',
  'GET /api/admin/audit/logs/export ?search': 'Compared with entries; not stored.',
  'GET /api/admin/refused-logins ?search': 'Compared with names; not stored.',
  'GET /api/admin/monitoring/usage ?route/*': filter,
  'GET /api/admin/monitoring/latency ?route/*': filter,
  'GET /api/admin/stream Last-Event-ID': cursor,
}

function of(endpoint: string, fields: readonly string[], reason: string): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [`${endpoint} ${field}`, reason]))
}
