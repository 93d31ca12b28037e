import type { explain as contract } from '@rolecall/contract'
import { findAdminServer } from '#mirror/read-servers'
import { readFacts } from '#session-memory/facts-store'
import { type Read, readUncached } from '#session-memory/memory'
import type { Step } from '../../checks/check.ts'
import { concluded } from './conclusion.ts'
import { askedOnce, type ExplainDeps, explainLogin, explainSession } from './explain-login.ts'
import { explainClient, explainHosts } from './other-ways.ts'
import { findKeyDigest } from './store.ts'

/**
 * Explains the outcome of a sign-in now, and of a validate after it. If the project has other ways to sign in, a
 * protected host or OpenID Connect, explains these as well. `outcome` covers only the first sign-in, because the others
 * use different servers.
 */
export async function explain(
  deps: ExplainDeps,
  asked: contract.ExplainRequest,
): Promise<contract.Explanation> {
  const { db, config, decisions } = deps
  const { memberId, projectId, redirectUri, assume } = asked
  const serverId = asked.serverId ?? (await findAdminServer(db, config.chatGuildId))?.id ?? ''
  const ask = askedOnce(deps, memberId)
  const login = await explainLogin(deps, { memberId, projectId, serverId, redirectUri, assume }, ask)
  const session = await explainSession(deps, login, await keySteps(deps, projectId))
  const known = session.known ?? login.known
  const steps = [
    ...login.before,
    ...session.steps,
    ...(login.member ? decisions.roles(known.roles, asked) : []),
  ]
  const protectedHosts = await explainHosts(deps, asked, ask)
  const openIdConnect = await explainClient(deps, asked, ask)
  return {
    ...concluded(steps),
    ...known,
    ...(protectedHosts && { protectedHosts }),
    ...(openIdConnect && { openIdConnect }),
  }
}

/** Returns the steps in which exchange and validate check a key of the project. */
async function keySteps({ db, config, decisions }: ExplainDeps, projectId: string): Promise<readonly Step[]> {
  // No key has this digest.
  const keyDigest = (await findKeyDigest(db, projectId)) ?? 'none'
  const items = [{ keyDigest, tokenDigest: '' }]
  const [read] = readUncached(items, await readFacts(db, items, [], config.chatGuildId))
  return decisions.key(read as Read)
}
