import type { explain as contract } from '@rolecall/contract'
import { findAdminServer } from '#mirror/read-servers'
import { type Read, readUncached } from '#session-memory/facts-of-rows'
import { readFacts } from '#session-memory/facts-store'
import type { Step } from '../../checks/check.ts'
import { concluded } from './conclusion.ts'
import { type ExplainDeps, explainLogin, explainSession, readMembershipOnce } from './explain-login.ts'
import { explainClient, explainHosts } from './other-ways.ts'
import { findKeyDigest } from './store.ts'

/**
 * Explains what would happen if a member signed in to a project now, and if the project then called `validate`. Also
 * explains the sign-in at a protected host and by OpenID Connect, if the project has them. `outcome` is about the first
 * sign-in only, because the others may use different servers.
 */
export async function explain(
  deps: ExplainDeps,
  input: contract.ExplainRequest,
): Promise<contract.Explanation> {
  const { db, config, decisions } = deps
  const { memberId, projectId, redirectUri, assume } = input
  const serverId = input.serverId ?? (await findAdminServer(db, config.chatGuildId))?.id ?? ''
  const readMembership = readMembershipOnce(deps, memberId)
  const login = await explainLogin(
    deps,
    { memberId, projectId, serverId, redirectUri, assume },
    readMembership,
  )
  const session = await explainSession(deps, login, await keySteps(deps, projectId))
  const known = session.known ?? login.known
  const steps = [
    ...login.before,
    ...session.steps,
    ...(login.member ? decisions.roles(known.roles, input) : []),
  ]
  const protectedHosts = await explainHosts(deps, input, readMembership)
  const openIdConnect = await explainClient(deps, input, readMembership)
  return {
    ...concluded(steps),
    ...known,
    ...(protectedHosts && { protectedHosts }),
    ...(openIdConnect && { openIdConnect }),
  }
}

/** Returns the steps that check an API key of the project. They fail if it has no valid key. */
async function keySteps({ db, config, decisions }: ExplainDeps, projectId: string): Promise<readonly Step[]> {
  // 'none' is the digest of no key.
  const keyDigest = (await findKeyDigest(db, projectId)) ?? 'none'
  const items = [{ keyDigest, tokenDigest: '' }]
  const [read] = readUncached(items, await readFacts(db, items, [], config.chatGuildId))
  return decisions.key(read as Read)
}
