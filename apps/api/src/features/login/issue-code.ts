import { digestOf, mintToken } from '#platform/crypto/tokens'
import { uuidv7 } from '#platform/crypto/uuid'
import type { Tx } from '#platform/db/database'
import { cookie } from '#platform/http/cookies'
import type { Deps } from '../../deps.ts'
import { deleteSso, insertSso, trimSso } from './sso-store.ts'
import { insertCode, type NewCode } from './store.ts'

/** The cookie of single sign-on. Its value changes with each use. */
export const ssoCookie = 'svc_sso'
/** The lifetime of a code in seconds. It is long enough for one redirect on a slow phone. */
export const codeTtlSec = 60
/** The maximum number of browsers with single sign-on per member. A person signs in with fewer in a day. */
const maxSsoPerMember = 50

/** Creates a one-time code. Returns undefined if the project no longer has access to the server or redirect URI. */
export async function issueCode(
  tx: Tx,
  code: Omit<NewCode, 'digest' | 'ttlSec'>,
): Promise<string | undefined> {
  const value = mintToken('code')
  const stored = await insertCode(tx, { ...code, digest: digestOf(value), ttlSec: codeTtlSec })
  return stored === 1 ? value : undefined
}

interface SsoBrowser {
  /** The value of the browser's current single sign-on, which the new one replaces. */
  readonly ssoCookie: string | undefined
  readonly ip: string | null
  readonly userAgent: string | null
}

/** Starts single sign-on for this browser. Returns the `Set-Cookie` header. */
export async function issueSso(
  tx: Tx,
  config: Deps['config'],
  memberId: string,
  { ssoCookie: former, ip, userAgent }: SsoBrowser,
): Promise<string> {
  const value = mintToken('sso')
  if (former) await deleteSso(tx, digestOf(former))
  const ttlSec = config.ssoTtlSec
  await insertSso(tx, { id: uuidv7(), digest: digestOf(value), memberId, ttlSec, ip, userAgent })
  await trimSso(tx, memberId, maxSsoPerMember)
  return makeSsoCookie(config, value, config.ssoTtlSec)
}

/** Builds the cookie of single sign-on. Its path is `/`, because some sign-ins start outside `/api/auth`. */
export const makeSsoCookie = (config: Deps['config'], value: string, maxAgeSec: number) =>
  ssoCookieAt('/', config, value, maxAgeSec)

/**
 * Returns the cookie that deletes a single sign-on cookie with the path `/api/auth`, which an earlier version of the
 * service set. A browser sends this cookie and the current one, and the service ignores two cookies with the same name.
 * Returns an empty list if the browser sent at most one.
 */
export function dropFormerSsoCookie(config: Deps['config'], cookies: string | undefined): string[] {
  const sent = (cookies ?? '').split(';').filter((pair) => pair.trimStart().startsWith(`${ssoCookie}=`))
  return sent.length > 1 ? [ssoCookieAt('/api/auth', config, '', 0)] : []
}

const ssoCookieAt = (path: string, { publicUrl }: Deps['config'], value: string, maxAgeSec: number) =>
  cookie(ssoCookie, value, {
    path,
    maxAgeSec,
    sameSite: 'lax',
    secure: publicUrl.startsWith('https:'),
  })
