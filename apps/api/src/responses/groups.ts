import type { HeldRole } from './roles.ts'

/** The rule by which a project turns roles into groups. */
export interface GroupRule {
  /** Group names by role ID. */
  readonly names: ReadonlyMap<string, string>
  /** True if a role without an entry in `names` gives no group. Otherwise, its group has the name of the role. */
  readonly isOnlyNamed: boolean
}

/** The rule of a project without names for groups: each role gives a group with the role's own name. */
export const roleNamesOnly: GroupRule = { names: new Map(), isOnlyNamed: false }

/** Creates a rule from stored values. */
export const toGroupRule = (
  names: Readonly<Record<string, string>> | null,
  isOnlyNamed: boolean | null,
): GroupRule =>
  names === null && !isOnlyNamed
    ? roleNamesOnly
    : { names: new Map(Object.entries(names ?? {})), isOnlyNamed: isOnlyNamed === true }

/** Returns the name of the group that a role gives, or undefined if it gives no group. */
export const groupOf = (
  { names, isOnlyNamed }: GroupRule,
  { roleId, roleName }: Pick<HeldRole, 'roleId' | 'roleName'>,
): string | undefined => names.get(roleId) ?? (isOnlyNamed ? undefined : roleName)

/**
 * Returns the groups that these roles give, in the order of the roles. Two roles can give the same group, which appears
 * once.
 */
export function groupsOf(rule: GroupRule, roles: readonly HeldRole[]): string[] {
  const groups = new Set<string>()
  for (const role of roles) {
    const group = groupOf(rule, role)
    if (group !== undefined) groups.add(group)
  }
  return [...groups]
}
