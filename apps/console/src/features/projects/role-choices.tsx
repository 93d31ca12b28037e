import type { AdminAnswer } from '@rolecall/sdk/admin'
import { RoleChip } from '../../components/chip.tsx'
import type { Choice } from '../../forms/fields.tsx'

type Role = AdminAnswer<'listRoles'>['data'][number]

/**
 * Roles to choose from. A chosen role that the server no longer has is one of them, so that it can be removed.
 *
 * @param roles The roles of the server. Undefined until they are loaded, and for owners, who may not read them. Then
 *   only the chosen roles are listed, by their IDs.
 */
export function roleChoices(
  roles: readonly Role[] | undefined,
  chosen: readonly string[],
): readonly Choice[] {
  const unique = [...new Set(chosen)]
  if (!roles) return unique.map((id) => ({ id, text: `Role ${id}` }))
  const known = new Set(roles.map(({ id }) => id))
  return [
    ...roles.map(({ id, name, color }) => ({ id, text: <RoleChip name={name} color={color} /> })),
    ...unique.filter((id) => !known.has(id)).map((id) => ({ id, text: `Deleted role ${id}` })),
  ]
}
