import type { HeldRole } from './roles.ts'

/** The names that a project has for the groups of roles. */
export interface GroupRule {
  /** By role ID. */
  readonly names: ReadonlyMap<string, string>
  /** True if roles without a name give no group. */
  readonly isOnlyNamed: boolean
}

/** The rule of a project that names no groups: each role gives its own name. */
export const roleNamesOnly: GroupRule = { names: new Map(), isOnlyNamed: false }

/** Reads a stored rule. */
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

/** Returns the groups that these roles give, in the order of the roles, each once. */
export function groupsOf(rule: GroupRule, roles: readonly HeldRole[]): string[] {
  const groups = new Set<string>()
  for (const role of roles) {
    const group = groupOf(rule, role)
    if (group !== undefined) groups.add(group)
  }
  return [...groups]
}
