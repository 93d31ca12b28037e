import type { chatServers } from '@rolecall/contract'
import type { Queryable } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import { findServer } from './store.ts'

/**
 * Returns a registered server.
 *
 * @throws SERVER_NOT_FOUND
 */
export async function getServer(db: Queryable, id: string): Promise<chatServers.ChatServer> {
  const server = await findServer(db, id)
  if (!server) throw new ApiError('SERVER_NOT_FOUND')
  return server
}
