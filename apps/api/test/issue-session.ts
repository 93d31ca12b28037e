import { type ChatSim, demo, findUser } from '@rolecall/chat-sim'
import type { sessions } from '@rolecall/contract'
import type { ChatMember } from '../src/chat/chat-platform.ts'
import type { Deps } from '../src/deps.ts'
import { issueCode } from '../src/features/login/issue-code.ts'
import { exchangeCode, redeem } from '../src/features/sessions/exchange-code.ts'
import { createSessionChanges } from '../src/features/sessions/gathered-changes.ts'
import { readTime } from '../src/platform/db/read-time.ts'

/** The data about the browser that a sign-in stores. */
const browser = { ip: '127.0.0.1', userAgent: 'node' }

/**
 * Creates a session of a project with the functions of the callback and the exchange, without the requests of a
 * sign-in.
 */
export async function issueSession(
  deps: Deps,
  sim: ChatSim,
  { projectId, redirectUri, as }: { projectId: string; redirectUri: string; as: string },
): Promise<sessions.TokenResponse> {
  await admit(deps, sim, as)
  const code = await codeFor(deps, { projectId, redirectUri, memberId: as })
  return exchangeCode(
    { ...deps, ...createSessionChanges(deps.db) },
    { projectId, keyDigest: '', bucket: projectId },
    { clientId: projectId, code, redirectUri, forwarded: browser },
  )
}

/** Creates a session of the administration in the same way. */
export async function issueAdminSession(
  deps: Deps,
  sim: ChatSim,
  as: string,
): Promise<sessions.TokenResponse> {
  const { roleIds } = await admit(deps, sim, as)
  const { chatAdminRoleId = '', adminSessionTtlSec: ttlSec } = deps.config
  if (!roleIds.includes(chatAdminRoleId)) throw new Error(`${as} is not a System Admin`)
  const code = await codeFor(deps, { projectId: null, redirectUri: '/console/', memberId: as })
  const presented = {
    code,
    projectId: null,
    redirectUri: null,
    codeVerifier: undefined,
    browserDigests: null,
  }
  return redeem({ ...deps, ...createSessionChanges(deps.db) }, presented, {
    ...browser,
    ttlSec,
    maxAgeSec: 2 * ttlSec,
  })
}

/** Writes a member to the mirror, as a sign-in does. */
async function admit(deps: Deps, sim: ChatSim, as: string): Promise<ChatMember> {
  const askedAt = await readTime(deps.db)
  const member = await deps.chat.member(demo.mainGuildId, as, 'login')
  if (!member) throw new Error(`${as} is not in the main server`)
  const { email = null, verified = false } = findUser(sim.world, as) ?? {}
  await deps.mirrorMember(
    demo.mainGuildId,
    { ...member.user, email: verified ? email : null },
    member,
    askedAt,
  )
  return member
}

type Asked = { readonly projectId: string | null; readonly redirectUri: string; readonly memberId: string }

async function codeFor({ db }: Deps, asked: Asked): Promise<string> {
  const code = await db.transaction((tx) =>
    issueCode(tx, { ...asked, ...browser, serverId: demo.mainGuildId, codeChallenge: null }),
  )
  if (!code) throw new Error('The project may not sign members in to this server.')
  return code
}
