import { namesOfRoles } from '#mirror/read-roles'
import { stepsOf } from '../checks/check.ts'
import type { Deps } from '../deps.ts'
import { findBlock } from '../features/blocks/store.ts'
import type { Decisions } from '../features/explain/decisions.ts'
import { hostCheck, hostRolesCheck } from '../features/forward-auth/checks.ts'
import { callbacksOf, readHost } from '../features/forward-auth/host.ts'
import { listForwardAuth } from '../features/forward-auth/store.ts'
import {
  authorizeChecks,
  callbackChecks,
  codeCheck,
  configuredCheck,
  failureOf,
} from '../features/login/checks.ts'
import { issueCode } from '../features/login/issue-code.ts'
import { findLoginProject } from '../features/login/store.ts'
import { clientChecks } from '../features/oidc/checks.ts'
import { clientsReader } from '../features/oidc/clients-store.ts'
import { roleChecks } from '../features/project-reads/is-allowed.ts'
import { keyChecks, redeemCheck, rolesCheck, sessionCheck } from '../features/sessions/checks.ts'
import { exchangeCode } from '../features/sessions/exchange-code.ts'
import { createSessionChanges } from '../features/sessions/gathered-changes.ts'

/**
 * Collects the decisions of sign-ins, sessions, and project reads for the feature that explains them. They are passed
 * in here, because no feature imports another.
 */
export const explainedDecisions = ({
  db,
  config,
  answers,
}: Pick<Deps, 'db' | 'config' | 'answers'>): Decisions => ({
  authorize: async ({ projectId, serverId, redirectUri }) => {
    const project = await findLoginProject(db, projectId, serverId)
    const facts = { project, redirectUri: redirectUri ?? project?.redirectUris[0] }
    const steps = stepsOf(authorizeChecks, facts)
    return {
      mayLogIn: steps.every(({ ok }) => ok),
      steps: [...steps, ...stepsOf([configuredCheck], config)],
      redirectUri: facts.redirectUri,
    }
  },
  failureOf,
  isBlocked: async (memberId) => (await findBlock(db, memberId)) !== undefined,
  callback: (told) => stepsOf(callbackChecks, told),
  issueCode,
  code: (code) => stepsOf([codeCheck], { code }),
  key: (read) => stepsOf(keyChecks, read),
  exchange: (deps, caller, request) =>
    exchangeCode({ ...deps, ...createSessionChanges(deps.db) }, caller, request),
  redeem: (redeemed) => stepsOf([redeemCheck], { redeemed }),
  session: (read) => stepsOf([sessionCheck], read),
  rolesKnown: (facts) => stepsOf([rolesCheck], facts),
  roles: (roles, wanted) => stepsOf(roleChecks(wanted), roles),
  hosts: async (projectId) => {
    const [{ hosts } = { hosts: [] }] = await listForwardAuth(db, [projectId], config.chatGuildId)
    const [first] = hosts
    if (first === undefined) return undefined
    const rule = await answers.findHostRule(first)
    const read = readHost(first, undefined)
    const anyOf = rule?.anyOf ?? []
    const names = await namesOfRoles(db, rule?.serverId ?? '', anyOf)
    return {
      ...{ hosts, serverId: rule?.serverId ?? undefined, redirectUri: read && callbacksOf(read)[0] },
      steps: stepsOf([hostCheck], { rule }),
      roles: (roleIds) => stepsOf([hostRolesCheck], { anyOf, roleIds, names }),
    }
  },
  client: async (projectId) => {
    const client = await clientsReader(db, config.chatGuildId)(projectId)
    return (
      client && {
        ...{ serverId: client.serverId, redirectUri: client.redirectUris[0] },
        steps: stepsOf(clientChecks, client),
      }
    )
  },
})
