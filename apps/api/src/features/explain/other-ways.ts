import type { explain as contract } from '@rolecall/contract'
import { concluded } from './conclusion.ts'
import { type ExplainDeps, explainLogin, explainSession, type ReadMembership } from './explain-login.ts'

/** Explains the sign-in at the protected hosts of a project. Returns undefined if the project has none. */
export async function explainHosts(
  deps: ExplainDeps,
  { memberId, projectId, assume }: contract.ExplainRequest,
  ask: ReadMembership,
): Promise<contract.Explanation['protectedHosts']> {
  const hosts = await deps.decisions.hosts(projectId)
  if (!hosts) return undefined
  const { serverId, redirectUri } = hosts
  const named = { hosts: [...hosts.hosts], serverId: serverId ?? null }
  if (serverId === undefined) return { ...named, ...concluded(hosts.steps) }
  const login = await explainLogin(deps, { memberId, projectId, serverId, redirectUri, assume }, ask)
  // The service itself redeems the code of a host, so no API key is needed, and there are no steps for it.
  const { steps } = await explainSession(deps, login, [])
  const roleIds = login.rehearsed?.read?.session?.roleIds ?? login.member?.roleIds
  const roles = roleIds ? hosts.roles(roleIds) : []
  return { ...named, ...concluded([...hosts.steps, ...login.before, ...steps, ...roles]) }
}

/** Explains a sign-in by OpenID Connect. Returns undefined if OpenID Connect is off for the project. */
export async function explainClient(
  deps: ExplainDeps,
  { memberId, projectId, assume }: contract.ExplainRequest,
  ask: ReadMembership,
): Promise<contract.Explanation['openIdConnect']> {
  const client = await deps.decisions.client(projectId)
  if (!client) return undefined
  const { serverId, redirectUri } = client
  if (serverId === null) return { serverId, ...concluded(client.steps) }
  const login = await explainLogin(deps, { memberId, projectId, serverId, redirectUri, assume }, ask)
  // The session of a client is created together with its code, but on the same conditions as the rehearsed session.
  const { steps } = await explainSession(deps, login, [])
  return { serverId, ...concluded([...client.steps, ...login.before, ...steps]) }
}
