import type { chatServers } from '@rolecall/contract'
import type { By } from '#audit/event'
import { type ChatPlatform, ChatPlatformError, type ChatServerInfo } from '#chat/chat-platform'
import { findMainServer } from '#mirror/read-servers'
import { registerServer, writeServer } from '#mirror/write-servers'
import { violates } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import { chatPlatformUnavailable } from '#platform/http/problem'
import type { Deps } from '../../deps.ts'
import { getServer } from './get-server.ts'
import { findServer } from './store.ts'

/**
 * Registers a server that the bot is in, with its name and roles, or restores a removed one.
 *
 * @throws SERVER_EXISTS, MAIN_SERVER_EXISTS, BOT_NOT_IN_SERVER, CHAT_PLATFORM_UNAVAILABLE
 */
export async function addServer(
  { db, chat, audit, endSessions }: Pick<Deps, 'db' | 'chat' | 'audit' | 'endSessions'>,
  by: By,
  { id, isMain = false }: { id: string; isMain?: boolean },
): Promise<chatServers.ChatServer> {
  // These checks only save a request to Discord. The unique indexes decide below, because a concurrent request may add
  // the same server.
  if (await findServer(db, id)) throw new ApiError('SERVER_EXISTS')
  if (isMain && (await findMainServer(db))) throw new ApiError('MAIN_SERVER_EXISTS')
  const server = await readServer(chat, id)
  try {
    await db.transaction(
      async (tx) => {
        if (!(await registerServer(tx, { ...server, isMain }))) throw new ApiError('SERVER_EXISTS')
        // A restored server may have sessions from sign-ins that ran while it was being removed.
        await endSessions.ofServer(tx, id)
        await writeServer(tx, server, 'now')
        await audit.record(tx, {
          ...by,
          actionType: 'server',
          action: 'server.create',
          target: { type: 'server', id, name: server.name },
          summary: `Server ${server.name} was registered${isMain ? ' as the main server' : ''}.`,
        })
      },
      { long: true },
    )
  } catch (error) {
    throw violates(error, 'servers_one_main') ? new ApiError('MAIN_SERVER_EXISTS') : error
  }
  return getServer(db, id)
}

/**
 * Reads a server from Discord.
 *
 * @throws BOT_NOT_IN_SERVER if the bot is not in the server or the server does not exist (Discord returns the same
 * response for both); CHAT_PLATFORM_UNAVAILABLE
 */
async function readServer(chat: ChatPlatform, id: string): Promise<ChatServerInfo> {
  try {
    return await chat.server(id, 'login')
  } catch (error) {
    if (!(error instanceof ChatPlatformError)) throw error
    const isRefused = error.failure === 'refused' && (error.status === 403 || error.status === 404)
    throw isRefused ? new ApiError('BOT_NOT_IN_SERVER', { cause: error }) : chatPlatformUnavailable(error)
  }
}
