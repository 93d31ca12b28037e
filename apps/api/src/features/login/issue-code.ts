import { digestOf, mintToken } from '#platform/crypto/tokens'
import { uuidv7 } from '#platform/crypto/uuid'
import type { Tx } from '#platform/db/database'
import { cookie } from '#platform/http/cookies'
import type { Deps } from '../../deps.ts'
import { insertCode, insertSso, type NewCode, trimSso } from './store.ts'

export const ssoCookie = 'svc_sso'
/** Long enough for one redirect on a slow phone. */
const codeTtlSec = 60
/** More browsers than a person logs in with in a day. */
const maxSsoPerMember = 50

/** Makes a one-time code, or undefined when the project may no longer have one. */
export async function issueCode(
  tx: Tx,
  code: Omit<NewCode, 'digest' | 'ttlSec'>,
): Promise<string | undefined> {
  const value = mintToken('code')
  const stored = await insertCode(tx, { ...code, digest: digestOf(value), ttlSec: codeTtlSec })
  return stored === 1 ? value : undefined
}

/** Starts single sign-on for this browser and returns its cookie. */
export async function issueSso(tx: Tx, config: Deps['config'], memberId: string): Promise<string> {
  const value = mintToken('sso')
  await insertSso(tx, { id: uuidv7(), digest: digestOf(value), memberId, ttlSec: config.ssoTtlSec })
  await trimSso(tx, memberId, maxSsoPerMember)
  return makeSsoCookie(config, value, config.ssoTtlSec)
}

export const makeSsoCookie = ({ publicUrl }: Deps['config'], value: string, maxAgeSec: number) =>
  cookie(ssoCookie, value, {
    path: '/api/auth',
    maxAgeSec,
    sameSite: 'lax',
    secure: publicUrl.startsWith('https:'),
  })
