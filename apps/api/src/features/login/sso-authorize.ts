import { ChatPlatformError } from '#chat/chat-platform'
import { digestOf, isWellFormed, mintToken } from '#platform/crypto/tokens'
import { readTime } from '#platform/db/read-time'
import type { Client } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import { type Authorize, authorize, checkAuthorize } from './authorize.ts'
import { type Browser, failureOf, type LoginDeps, type LoginEnd } from './chat-callback.ts'
import { issueCode, makeSsoCookie } from './issue-code.ts'
import { type LoginRefusal, withCode, withError } from './project-redirect.ts'
import { deleteSsoOfSpent, holdSso, rotateSso } from './sso-store.ts'
import { findServerName } from './store.ts'

/** Two tabs may present one value: the second is still good for this long after the first rotated it. */
const graceSec = 10

type SsoDeps = LoginDeps & Pick<Deps, 'audit'>

export interface SsoAuthorize extends Authorize {
  readonly prompt?: 'none' | undefined
}

/**
 * Logs in without the platform's screen where this browser did before. Membership is read from the platform
 * as in any login; only who it is comes from the cookie.
 */
export async function ssoAuthorize(
  deps: SsoDeps,
  input: SsoAuthorize,
  browser: Browser & { client: Client },
): Promise<LoginEnd> {
  await checkAuthorize(deps, input)
  const { publicUrl } = deps.config
  const destination = { redirectUri: input.redirect_uri, state: input.state }
  // Before the cookie is rotated: who comes too often keeps the one they have.
  const permit = browser.ssoCookie ? await deps.loginLimits.take(browser.address) : undefined
  const found = await useSso(deps, input, browser)
  const end = found && (await complete(deps, input, browser, found))
  if (!end || 'code' in end) await permit?.giveBack()
  if (found && end) {
    const location =
      'refusal' in end
        ? withError(destination, end.refusal, publicUrl, await findServerName(deps.db, input.server_id))
        : withCode(destination, end.code, publicUrl)
    return { location, cookies: found.cookies }
  }
  if (input.prompt === 'none')
    return { location: withError(destination, 'login_required', publicUrl), cookies: [] }
  const opened = await authorize(deps, input, browser.cookie, browser.address)
  return { location: opened.location, cookies: [opened.cookie] }
}

interface UsedSso {
  readonly id: string
  readonly memberId: string
  readonly cookies: readonly string[]
}

async function useSso(
  deps: SsoDeps,
  { client_id: projectId }: Authorize,
  { ssoCookie: value, client }: { ssoCookie: string | undefined; client: Client },
): Promise<UsedSso | undefined> {
  const { db, config } = deps
  if (!value || !isWellFormed('sso', value)) return undefined
  const next = mintToken('sso')
  const used = await rotateSso(db, {
    digest: digestOf(value),
    newDigest: digestOf(next),
    projectId,
    graceSec,
  })
  if (!used) {
    await endCopied(deps, digestOf(value), client)
    return undefined
  }
  return {
    id: used.id,
    memberId: used.memberId,
    cookies: used.rotated ? [makeSsoCookie(config, next, used.remainingSec)] : [],
  }
}

/**
 * A value that was used long ago is held twice: by its browser and by a copy. Nobody can tell which of them asks,
 * so both have to log in again, as with a refresh token (RFC 9700 §4.14.2).
 */
const endCopied = ({ db, audit }: SsoDeps, digest: string, client: Client) =>
  db.transaction(async (tx) => {
    const ended = await deleteSsoOfSpent(tx, digest, graceSec)
    if (!ended) return
    await audit.record(tx, {
      actionType: 'auth',
      action: 'sso.reuse',
      severity: 'warning',
      target: { type: 'member', id: ended.memberId, name: ended.username },
      summary: `A used single sign-on of ${ended.username} was presented again; it was ended.`,
      client,
    })
  })

async function complete(
  deps: LoginDeps,
  input: Authorize,
  { ip, userAgent }: Browser,
  { id: ssoId, memberId }: UsedSso,
): Promise<{ code: string } | { refusal: LoginRefusal }> {
  try {
    const askedAt = await readTime(deps.db)
    const member = await deps.chat.member(input.server_id, memberId, 'login')
    await deps.mirrorMember(input.server_id, { id: memberId }, member, askedAt)
    if (!member) return { refusal: 'not_a_member' }
  } catch (error) {
    if (error instanceof ChatPlatformError) return { refusal: failureOf(deps, error) }
    throw error
  }
  return deps.db.transaction(async (tx) => {
    if (!(await holdSso(tx, ssoId))) return { refusal: 'login_required' }
    const code = await issueCode(tx, {
      projectId: input.client_id,
      memberId,
      serverId: input.server_id,
      redirectUri: input.redirect_uri,
      codeChallenge: input.code_challenge ?? null,
      ip,
      userAgent,
    })
    return code ? { code } : { refusal: 'no_access' }
  })
}
