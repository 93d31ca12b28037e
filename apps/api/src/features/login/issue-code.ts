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
export const makeSsoCookie = ({ publicUrl }: Deps['config'], value: string, maxAgeSec: number) =>
  cookie(ssoCookie, value, {
    path: '/',
    maxAgeSec,
    sameSite: 'lax',
    secure: publicUrl.startsWith('https:'),
  })
