import type { HostRule } from '#session-memory/host-rules-store'
import { errorCheck } from '../../checks/check.ts'

/** Checks a host before the member is known. */
export const hostCheck = errorCheck<{ readonly rule: HostRule | undefined }>({
  name: 'host.server_known',
  refusal: 'HOST_UNKNOWN',
  holds: ({ rule }) => isServed(rule),
  describe: ({ rule }) =>
    isServed(rule)
      ? 'The host has a server, and its members have access.'
      : 'The host has no server, so no member has access.',
})

/** Returns true if a member can pass a rule: it exists and has a server. */
export const isServed = (rule: HostRule | undefined): rule is HostRule & { serverId: string } =>
  rule !== undefined && rule.serverId !== null

/** Checks the roles of the signed-in member. */
export const hostRolesCheck = errorCheck<{
  readonly anyOf: readonly string[]
  readonly roleIds: readonly string[]
}>({
  name: 'host.any_of',
  refusal: 'ROLE_LACKING',
  holds: ({ anyOf, roleIds }) => anyOf.length === 0 || anyOf.some((id) => roleIds.includes(id)),
  describe: ({ anyOf, roleIds }) => {
    if (anyOf.length === 0) return 'The host requires no role.'
    const held = anyOf.filter((id) => roleIds.includes(id))
    return held.length > 0
      ? `The member has ${held.join(', ')}. The host requires one of ${anyOf.join(', ')}.`
      : `The member has none of the roles ${anyOf.join(', ')}.`
  },
})
