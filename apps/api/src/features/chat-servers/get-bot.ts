import type { chatServers } from '@rolecall/contract'
import { ChatPlatformError } from '#chat/chat-platform'
import { chatPlatformUnavailable } from '#platform/http/problem'
import type { Deps } from '../../deps.ts'
import { listRegisteredIds } from './store.ts'

/**
 * Returns the bot, the address that invites it to a server, and the servers that it is in, sorted by name. Each of
 * these servers can be registered.
 *
 * @throws CHAT_PLATFORM_UNAVAILABLE
 */
export async function getBot({ db, chat }: Pick<Deps, 'db' | 'chat'>): Promise<chatServers.Bot> {
  const [name, { reportsMembers }, servers, registered] = await Promise.all([
    chat.bot(),
    chat.application(),
    chat.servers(),
    listRegisteredIds(db),
  ]).catch((error: unknown) => {
    throw error instanceof ChatPlatformError ? chatPlatformUnavailable(error) : error
  })
  const known = new Set(registered)
  return {
    name,
    inviteUrl: chat.inviteUrl(),
    mayListMembers: reportsMembers,
    servers: servers
      .map((server) => ({ ...server, isRegistered: known.has(server.id) }))
      .sort((one, other) => one.name.localeCompare(other.name, 'en')),
  }
}
