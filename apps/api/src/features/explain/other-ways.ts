import type { explain as contract } from '@rolecall/contract'
import { concluded } from './conclusion.ts'
import { type Ask, type ExplainDeps, explainLogin, explainSession } from './explain-login.ts'

/** Explains a request to a host that the project protects. Returns undefined if the project protects no host. */
export async function explainHosts(
  deps: ExplainDeps,
  { memberId, projectId, assume }: contract.ExplainRequest,
  ask: Ask,
): Promise<contract.Explanation['protectedHosts']> {
  const hosts = await deps.decisions.hosts(projectId)
  if (!hosts) return undefined
  const { serverId, redirectUri } = hosts
  const named = { hosts: [...hosts.hosts], serverId: serverId ?? null }
  if (serverId === undefined) return { ...named, ...concluded(hosts.steps) }
  const login = await explainLogin(deps, { memberId, projectId, serverId, redirectUri, assume }, ask)
  // The service redeems the code of a host itself, so no key is required.
  const { steps } = await explainSession(deps, login, [])
  const roleIds = login.rehearsed?.read?.session?.roleIds ?? login.member?.roleIds
  const roles = roleIds ? hosts.roles(roleIds) : []
  return { ...named, ...concluded([...hosts.steps, ...login.before, ...steps, ...roles]) }
}

/** Explains a sign-in with OpenID Connect; returns undefined if the project is not a client. */
export async function explainClient(
  deps: ExplainDeps,
  { memberId, projectId, assume }: contract.ExplainRequest,
  ask: Ask,
): Promise<contract.Explanation['openIdConnect']> {
  const client = await deps.decisions.client(projectId)
  if (!client) return undefined
  const { serverId, redirectUri } = client
  if (serverId === null) return { serverId, ...concluded(client.steps) }
  const login = await explainLogin(deps, { memberId, projectId, serverId, redirectUri, assume }, ask)
  // Its session is made together with its code, under the same conditions as a session from a code.
  const { steps } = await explainSession(deps, login, [])
  return { serverId, ...concluded([...client.steps, ...login.before, ...steps]) }
}
