import type { AdminAnswer } from '@rolecall/sdk/admin'
import { RoleChip } from '../../components/chip.tsx'
import type { Choice } from '../../forms/fields.tsx'

type Role = AdminAnswer<'listRoles'>['data'][number]

/**
 * Roles to choose from. A chosen role that the server no longer has is one of them, so that it can be removed.
 *
 * @param roles The roles of the server. Undefined until they are loaded.
 */
export function roleChoices(
  roles: readonly Role[] | undefined,
  chosen: readonly string[],
): readonly Choice[] {
  if (!roles) return []
  const known = new Set(roles.map(({ id }) => id))
  return [
    ...roles.map(({ id, name, color }) => ({ id, text: <RoleChip name={name} color={color} /> })),
    ...[...new Set(chosen)].filter((id) => !known.has(id)).map((id) => ({ id, text: `Deleted role ${id}` })),
  ]
}
