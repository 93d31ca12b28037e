import { digestOf, isWellFormed } from '#platform/crypto/tokens'
import type { Queryable } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import { cookie } from '#platform/http/cookies'
import type { Client } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import { adminCookie } from '../callers.ts'
import { openAuthRequest } from './auth-request.ts'

const defaultReturnTo = '/console/'

type MainServer = (db: Queryable) => Promise<{ id: string } | undefined>

/** Starts the login of a System Admin: the same bounce, for the main server, back to a path of this site. */
export async function adminLogin(
  deps: Pick<Deps, 'db' | 'chat' | 'config' | 'loginLimits'> & { findMainServer: MainServer },
  returnTo: string | undefined,
  held: string | undefined,
  address: string,
) {
  const main = await deps.findMainServer(deps.db)
  if (!main) throw new ApiError('SERVER_NOT_ACCESSIBLE', { detail: 'There is no main server.' })
  return openAuthRequest(deps, held, address, {
    projectId: null,
    serverId: main.id,
    redirectUri: returnTo ?? defaultReturnTo,
    state: null,
    codeChallenge: null,
  })
}

interface Terms {
  readonly ip: string | null
  readonly userAgent: string | null
  readonly ttlSec: number
  readonly maxAgeSec: number
}

interface AdminClaim {
  readonly codeDigest: string
  readonly projectId: null
  readonly redirectUri: null
  readonly challenge: null
}

type Redeem<T> = (claim: AdminClaim, terms: Terms, client: Client) => Promise<T>

/** Redeems the code of an admin login. Like all sessions it can be refreshed; to 24 hours at most. */
export function adminToken<T>(
  { config, redeem }: Pick<Deps, 'config'> & { redeem: Redeem<T> },
  code: string,
  browser: Pick<Terms, 'ip' | 'userAgent'>,
  client: Client,
): Promise<T> {
  if (!isWellFormed('code', code)) throw new ApiError('INVALID_CODE', { reason: 'malformed_or_foreign' })
  const claim: AdminClaim = {
    codeDigest: digestOf(code),
    projectId: null,
    redirectUri: null,
    challenge: null,
  }
  const ttlSec = config.adminSessionTtlSec
  return redeem(claim, { ...browser, ttlSec, maxAgeSec: 2 * ttlSec }, client)
}

/** The console's cookie; an empty value deletes it. */
export const makeAdminCookie = ({ publicUrl, adminSessionTtlSec }: Deps['config'], token: string) =>
  cookie(adminCookie, token, {
    path: '/api',
    maxAgeSec: token === '' ? 0 : adminSessionTtlSec,
    sameSite: 'strict',
    secure: publicUrl.startsWith('https:'),
  })
