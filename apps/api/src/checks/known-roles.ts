import type { ProblemDetail } from '@rolecall/contract'
import { placesOfUnknownRoles } from '#mirror/read-roles'
import { findMainServer } from '#mirror/read-servers'
import type { Tx } from '#platform/db/database'
import { invalid } from '#platform/http/check-request'

interface NamedRoles {
  /** The place of the roles in the request, for the error message. */
  readonly path: string
  readonly roleIds: readonly string[]
  /** The server that the roles belong to. Undefined means the main server. */
  readonly serverId: string | undefined
}

/**
 * Rejects role IDs that the server does not have. Otherwise, a mistyped ID would be stored, and silently grant access
 * to no one. Checks nothing if no server is given and there is no main server.
 * @throws VALIDATION_FAILED, with the path of each unknown role
 */
export async function checkRolesKnown(tx: Tx, { path, roleIds, serverId }: NamedRoles): Promise<void> {
  const ofServer = serverId ?? (await findMainServer(tx))?.id
  if (ofServer === undefined) return
  const problems: ProblemDetail[] = (await placesOfUnknownRoles(tx, ofServer, roleIds)).map((place) => ({
    path: `${path}/${place}`,
    message: `is not a known role of the server ${ofServer}. GET /api/admin/servers/${ofServer}/roles reads its roles again`,
    code: 'ROLE',
  }))
  if (problems.length > 0) throw invalid(problems)
}
