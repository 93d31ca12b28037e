import type { HostRule } from '#session-memory/host-rules-store'
import { errorCheck } from '../../checks/check.ts'

/** The check of a host, which does not depend on the member. */
export const hostCheck = errorCheck<{ readonly rule: HostRule | undefined }>({
  name: 'host.server_known',
  refusal: 'HOST_UNKNOWN',
  holds: ({ rule }) => isServed(rule),
  describe: ({ rule }) =>
    isServed(rule)
      ? 'The host has a server, and its members have access.'
      : 'The host has no server, so no member has access.',
})

/** Returns true if a host's rule exists and has a server. A rule without a server admits no member. */
export const isServed = (rule: HostRule | undefined): rule is HostRule & { serverId: string } =>
  rule !== undefined && rule.serverId !== null

/**
 * The check of the member's roles. One of the required roles suffices. A host without required roles admits everyone.
 */
export const hostRolesCheck = errorCheck<{
  readonly anyOf: readonly string[]
  readonly roleIds: readonly string[]
  /** The names of the required roles by ID, for `describe`. */
  readonly names?: ReadonlyMap<string, string>
}>({
  name: 'host.any_of',
  refusal: 'ROLE_LACKING',
  holds: ({ anyOf, roleIds }) => anyOf.length === 0 || anyOf.some((id) => roleIds.includes(id)),
  describe: ({ anyOf, roleIds, names }) => {
    if (anyOf.length === 0) return 'The host requires no role.'
    const listed = (ids: readonly string[]) => ids.map((id) => names?.get(id) ?? id).join(', ')
    const held = anyOf.filter((id) => roleIds.includes(id))
    return held.length > 0
      ? `The member has ${held.length} of the required roles: ${listed(held)}.`
      : `The member has none of the required roles: ${listed(anyOf)}.`
  },
})
