import type { Deps } from '@rolecall/api/deps'
import { issueCode } from '@rolecall/api/features/login/issue-code'
import { redeem } from '@rolecall/api/features/sessions/exchange-code'
import { createSessionChanges } from '@rolecall/api/features/sessions/gathered-changes'
import { digestOf } from '@rolecall/api/platform/crypto/tokens'
import { sql } from '@rolecall/api/platform/db/sql'
import { adminRoleId, redirectUri, serverId } from './seed.ts'

/** Returns the ID of a session's member. */
export async function memberOf({ db }: Deps, token: string): Promise<string> {
  const [member] = await db.query<{ id: string }>(sql`
    select member_id as id from sessions where token_digest = ${digestOf(token)}`)
  return member?.id ?? ''
}

/** Issues a one-time code for a member. `projectId` is null for a code of the administration. */
export const issue = async (deps: Deps, projectId: string | null, memberId: string): Promise<string> => {
  const origin = { ip: null, userAgent: null, codeChallenge: null }
  const code = await deps.db.transaction((tx) =>
    issueCode(tx, { projectId, memberId, serverId, redirectUri: projectId ? redirectUri : '/', ...origin }),
  )
  if (!code) throw new Error('No code was issued.')
  return code
}

/** Gives a member the admin role, signs them in, and returns the token of their admin session. */
export async function adminToken(deps: Deps, memberId: string): Promise<string> {
  await deps.db.execute(sql`
    update memberships set role_ids = role_ids || ${[adminRoleId]}::text[] where member_id = ${memberId}`)
  const presented = {
    code: await issue(deps, null, memberId),
    projectId: null,
    redirectUri: null,
    codeVerifier: undefined,
    browserDigests: null,
  }
  const terms = { ip: null, userAgent: null, ttlSec: 43_200, maxAgeSec: 86_400 }
  return (await redeem({ ...deps, ...createSessionChanges(deps.db) }, presented, terms)).token
}
