import type { ChatServerInfo } from '#chat/chat-platform'
import type { Tx } from '#platform/db/database'
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
  await db.transaction((tx) => writeServer(tx, server))
}

/** Writes a server's name, icon and all of its roles. */
export async function writeServer(tx: Tx, server: ChatServerInfo): Promise<void> {
  await updateServer(tx, server)
  await replaceRoles(tx, server.id, server.roles)
}
