import type { Deps } from '../../deps.ts'
import { replaceRoles, updateServer } from './store.ts'

/**
 * Reads a server's name and roles from the platform into the mirror.
 * @throws ChatPlatformError
 */
export async function syncServer(
  { db, chat }: Pick<Deps, 'db' | 'chat'>,
  serverId: string,
  priority: 'login' | 'background' = 'background',
): Promise<void> {
  const server = await chat.server(serverId, priority)
  await db.transaction(async (tx) => {
    await updateServer(tx, server)
    await replaceRoles(tx, serverId, server.roles)
  })
}
