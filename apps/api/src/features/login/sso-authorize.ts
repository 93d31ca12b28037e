import { ChatPlatformError } from '#chat/chat-platform'
import { digestOf, isWellFormed, mintToken } from '#platform/crypto/tokens'
import { readTime } from '#platform/db/read-time'
import { type Authorize, authorize, checkAuthorize } from './authorize.ts'
import { type Browser, failureOf, type LoginDeps, type LoginEnd } from './chat-callback.ts'
import { issueCode, makeSsoCookie } from './issue-code.ts'
import { type LoginRefusal, withCode, withError } from './project-redirect.ts'
import { findServerName, rotateSso } from './store.ts'

/** Two tabs may present one value: the second is still good for this long after the first rotated it. */
const graceSec = 10

export interface SsoAuthorize extends Authorize {
  readonly prompt?: 'none' | undefined
}

/**
 * Logs in without the platform's screen where this browser did before. Membership is read from the platform
 * as in any login; only who it is comes from the cookie.
 */
export async function ssoAuthorize(
  deps: LoginDeps,
  input: SsoAuthorize,
  browser: Browser & { ssoCookie: string | undefined },
): Promise<LoginEnd> {
  await checkAuthorize(deps, input)
  const { publicUrl } = deps.config
  const destination = { redirectUri: input.redirect_uri, state: input.state }
  // Before the cookie is rotated: who comes too often keeps the one they have.
  const taken = browser.ssoCookie ? await deps.loginLimits.take(browser.address) : undefined
  const found = await useSso(deps, input, browser.ssoCookie)
  const end = found && (await complete(deps, input, browser, found.memberId))
  if (!end || 'code' in end) await taken?.giveBack()
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

async function useSso(
  { db, config }: LoginDeps,
  { client_id: projectId }: Authorize,
  value: string | undefined,
) {
  if (!value || !isWellFormed('sso', value)) return undefined
  const next = mintToken('sso')
  const used = await rotateSso(db, {
    digest: digestOf(value),
    newDigest: digestOf(next),
    projectId,
    graceSec,
  })
  if (!used) return undefined
  return {
    memberId: used.memberId,
    cookies: used.rotated ? [makeSsoCookie(config, next, used.remainingSec)] : [],
  }
}

async function complete(
  deps: LoginDeps,
  input: Authorize,
  { ip, userAgent }: Browser,
  memberId: string,
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
  const code = await deps.db.transaction((tx) =>
    issueCode(tx, {
      projectId: input.client_id,
      memberId,
      serverId: input.server_id,
      redirectUri: input.redirect_uri,
      codeChallenge: input.code_challenge ?? null,
      ip,
      userAgent,
    }),
  )
  return code ? { code } : { refusal: 'no_access' }
}
