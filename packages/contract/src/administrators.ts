import { type Static, Type } from 'typebox'
import type { EndpointDefinition } from './endpoint.ts'
import { Closed, Snowflake } from './formats.ts'

const Ids = (description: string) => Type.Array(Snowflake, { uniqueItems: true, maxItems: 50, description })

const byRole = Ids('Roles of the main server. Members with one of them own the project.')
const byId = Ids('Members who own the project.')

/** The owners of a project: the roles and the members that administer it besides System Admins. */
export const Owners = Type.Object({ roleIds: byRole, memberIds: byId })

/** The complete list of a project's owners. An omitted field is empty. */
export const NewOwners = Closed(
  { roleIds: Type.Optional(byRole), memberIds: Type.Optional(byId) },
  { description: 'The owners of this project. Only a System Admin sets them; the list is replaced.' },
)

/** Returns true if an auditor may call the endpoint. Auditors can read everything that a System Admin can read. */
export const admitsAuditor = ({ auth, method, isRead }: EndpointDefinition): boolean =>
  auth === 'admin' && (method === 'GET' || isRead === true)

/** Lists, in words, who besides System Admins may call an endpoint of the administration. */
export function whoElse(definition: EndpointDefinition): string[] {
  const { owners, ownerFields } = definition
  return [
    ...(admitsAuditor(definition) ? ['An auditor.'] : []),
    ...(owners === 'any' ? ['An owner of any project.'] : []),
    ...(owners && owners !== 'any'
      ? [`An owner of the project${ownerFields ? `, who may send ${ownerFields.join(', ')}` : ''}.`]
      : []),
  ]
}

export type Owners = Static<typeof Owners>
export type NewOwners = Static<typeof NewOwners>
