import { readTime } from '#platform/db/read-time'
import type { MirrorDeps } from '../mirror-deps.ts'
import { writeServer } from '../write-servers.ts'

/**
 * Reads the name, the icon, and the roles of a server from Discord into the mirror.
 *
 * @throws ChatPlatformError
 */
export async function syncServer(
  { db, chat }: Pick<MirrorDeps, 'db' | 'chat'>,
  serverId: string,
  priority: 'login' | 'background' = 'background',
): Promise<void> {
  const requestedAt = await readTime(db)
  const server = await chat.server(serverId, priority)
  await db.transaction((tx) => writeServer(tx, server, requestedAt))
}
