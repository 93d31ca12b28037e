import type { AdminAnswer } from '@rolecall/sdk/admin'
import { RoleChip } from '../../components/chip.tsx'
import type { Choice } from '../../forms/fields.tsx'

type Role = AdminAnswer<'listRoles'>['data'][number]

interface Offered {
  /** The roles of the server. Undefined until they are loaded. */
  readonly roles: readonly Role[] | undefined
  /** False for owners of projects. They may not read the roles, so only the chosen ones are listed, by their IDs. */
  readonly mayRead: boolean
  readonly chosen: readonly string[]
}

/**
 * Roles to choose from. A chosen role that the server no longer has is one of them, so that it can be removed.
 */
export function roleChoices({ roles, mayRead, chosen }: Offered): readonly Choice[] {
  const unique = [...new Set(chosen)]
  if (!mayRead) return unique.map((id) => ({ id, text: `Role ${id}` }))
  if (!roles) return []
  const known = new Set(roles.map(({ id }) => id))
  return [
    ...roles.map(({ id, name, color }) => ({ id, text: <RoleChip name={name} color={color} /> })),
    ...unique.filter((id) => !known.has(id)).map((id) => ({ id, text: `Deleted role ${id}` })),
  ]
}
