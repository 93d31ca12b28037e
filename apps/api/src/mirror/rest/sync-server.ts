import type { ChatServerInfo } from '#chat/chat-platform'
import type { Tx } from '#platform/db/database'
import { readTime } from '#platform/db/read-time'
import type { Deps } from '../../deps.ts'
import { claimRoles, replaceRoles, updateServer } from '../../features/chat-servers/store.ts'

/**
 * Reads a server's name and roles from the platform into the mirror.
 * @throws ChatPlatformError
 */
export async function syncServer(
  { db, chat }: Pick<Deps, 'db' | 'chat'>,
  serverId: string,
  priority: 'login' | 'background' = 'background',
): Promise<void> {
  const askedAt = await readTime(db)
  const server = await chat.server(serverId, priority)
  await db.transaction(async (tx) => {
    // What the gateway told while the platform was asked is newer than the answer, and stays.
    if (await claimRoles(tx, serverId, askedAt)) await writeServer(tx, server, askedAt)
  })
}

/** Writes a server's name, icon and all of its roles, as of when they were asked for; as of now when nobody asked. */
export async function writeServer(tx: Tx, server: ChatServerInfo, askedAt?: Date): Promise<void> {
  await updateServer(tx, server)
  await replaceRoles(tx, server.id, server.roles, askedAt)
}
