import type { HeldRole } from '#responses/roles'
import { type Check, errorCheck, firstFailed } from '../../checks/check.ts'

/** The roles that a request requires. */
export interface Wanted {
  readonly anyOf?: readonly string[] | undefined
  readonly allOf?: readonly string[] | undefined
}

type Roles = readonly HeldRole[]
type RoleCheck = Check<Roles>

/**
 * Returns the checks of a member's roles: at least one of `anyOf`, and all of `allOf`. Without both, there are none.
 */
export const roleChecks = ({ anyOf, allOf }: Wanted): readonly RoleCheck[] => [
  ...(anyOf ? [holdsAny(anyOf)] : []),
  ...(allOf ? [holdsAll(allOf)] : []),
]

/** Creates a function that returns true for roles that pass all checks. One function serves many members. */
export function allowedBy(wanted: Wanted): (roles: Roles) => boolean {
  const checks = roleChecks(wanted)
  return (roles) => !firstFailed(checks, roles)
}

/** Builds a check whose error is that of `requireMember()` in the client library. */
const roleCheck = (check: Pick<RoleCheck, 'name' | 'holds' | 'describe'>): RoleCheck => ({
  ...errorCheck({ ...check, refusal: 'ROLE_REQUIRED' }),
  fix: 'Give the member one of the roles in Discord, or request other roles.',
})

const holdsAny = (ids: readonly string[]) =>
  roleCheck({
    name: 'roles.any_of',
    holds: (roles) => ids.some((id) => isHeld(roles, id)),
    describe: (roles) => {
      const held = ids.filter((id) => isHeld(roles, id))
      return held.length > 0
        ? `The member has ${held.join(', ')}.`
        : `The member has none of the roles ${ids.join(', ')}.`
    },
  })

const holdsAll = (ids: readonly string[]) =>
  roleCheck({
    name: 'roles.all_of',
    holds: (roles) => ids.every((id) => isHeld(roles, id)),
    describe: (roles) => {
      const missing = ids.filter((id) => !isHeld(roles, id))
      return missing.length > 0
        ? `The member lacks ${missing.join(', ')}.`
        : `The member has ${ids.join(', ')}.`
    },
  })

const isHeld = (roles: Roles, id: string) => roles.some(({ roleId }) => roleId === id)
