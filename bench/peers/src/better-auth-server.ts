import { createHmac, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { Pool } from 'pg'
import { databaseUrl, port, sessions, writeCredentials } from './credentials.ts'

/**
 * A peer of the benchmark: `better-auth` with its sessions in PostgreSQL, which `GET /api/auth/get-session` reads. As
 * in production, the rate limit is on, but it is never reached. With COOKIE_CACHE=on, the session is read from a signed
 * cookie without a lookup. A revoked session then stays valid until that cookie expires.
 */
const isCached = process.env['COOKIE_CACHE'] === 'on'
const secret = 'a secret of the bench that is long enough to be one'
const origin = `http://127.0.0.1:${port}`
const pool = new Pool({ connectionString: databaseUrl, max: 10 })
const auth = betterAuth({
  baseURL: origin,
  secret,
  database: pool,
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: true, window: 60, max: 1_000_000_000 },
  // The cookie is valid for longer than the run. Otherwise, some responses would come from the database.
  session: { cookieCache: { enabled: isCached, maxAge: 3_600 } },
  telemetry: { enabled: false },
  logger: { level: 'error' },
})
const { runMigrations } = await getMigrations(auth.options)
await runMigrations()

const tokens = Array.from({ length: sessions }, () => randomBytes(24).toString('base64url'))
const ids = tokens.map((_, i) => `member-${i}`)
await pool.query(
  `insert into "user" (id, name, email, "emailVerified", image, "createdAt", "updatedAt")
   select id, 'Member ' || id, id || '@example.test', true,
     'https://cdn.discordapp.com/avatars/480844663499128837/9f3c7a519f3c7a519f3c7a519f3c7a53.png', now(), now()
   from unnest($1::text[]) id on conflict do nothing`,
  [ids],
)
await pool.query(
  `insert into session (id, token, "userId", "expiresAt", "createdAt", "updatedAt", "ipAddress", "userAgent")
   select 's' || token, token, id, now() + interval '7 days', now(), now(), '192.0.2.1', 'Mozilla/5.0'
   from unnest($1::text[], $2::text[]) x (id, token)`,
  [ids, tokens],
)
await pool.query('analyze')

const cookies: string[] = []
for (const token of tokens) {
  const signature = createHmac('sha256', secret).update(token).digest('base64')
  const cookie = `better-auth.session_token=${encodeURIComponent(`${token}.${signature}`)}`
  cookies.push(isCached ? `${cookie}; ${await cachedSession(cookie)}` : cookie)
}
writeCredentials(cookies)
createServer(toNodeHandler(auth)).listen(port, '127.0.0.1')

/** Returns the cookie that a browser gets with its first response. */
async function cachedSession(cookie: string): Promise<string> {
  const headers = { cookie, 'x-forwarded-for': '192.0.2.1' }
  const response = await auth.handler(new Request(`${origin}/api/auth/get-session`, { headers }))
  const set = response.headers.getSetCookie().find((one) => one.startsWith('better-auth.session_data='))
  if (!set)
    throw new Error(`better-auth set no session_data cookie: ${response.status} ${await response.text()}`)
  return set.split(';', 1)[0] ?? ''
}
