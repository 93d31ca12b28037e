import { type ChatPlatform, ChatPlatformError } from '#chat/chat-platform'
import type { Config } from '../../config.ts'
import { type Line, ok, problem, skipped } from './line.ts'

/**
 * Checks that Discord accepts the bot token, that the bot belongs to the configured application, and that it may
 * receive members.
 */
export async function botLines(config: Config, chat: ChatPlatform): Promise<Line[]> {
  try {
    const name = await chat.bot()
    const { clientId, reportsMembers } = await chat.application()
    const lines = [ok(`accepted by Discord as ${name}`)]
    if (config.chatClientId && clientId !== config.chatClientId) {
      lines.push(
        problem(
          `CHAT_CLIENT_ID is ${config.chatClientId}, but this bot belongs to ${clientId}. Use the ID and the bot ` +
            'token of the same application.',
        ),
      )
    }
    if (config.chatGateway && !reportsMembers) {
      lines.push(
        problem(
          'Discord would reject the gateway connection with code 4014, disallowed intents. Turn on "Server Members ' +
            'Intent" in the Discord developer portal under Bot, Privileged Gateway Intents, or set CHAT_GATEWAY=off.',
        ),
      )
    }
    return lines
  } catch (error) {
    return [
      platformProblem(
        error,
        'Discord rejects the token. Copy it again from the Bot page of the developer portal.',
      ),
    ]
  }
}

/** Checks that Discord accepts the client ID and secret, which every sign-in uses. */
export async function clientLines(chat: ChatPlatform): Promise<Line[]> {
  try {
    if (await chat.isClientAccepted()) return [ok('accepted by Discord')]
    return [
      problem(
        'Discord rejects CHAT_CLIENT_ID with CHAT_CLIENT_SECRET. Copy both again from the OAuth2 page of the ' +
          'developer portal.',
      ),
    ]
  } catch (error) {
    return [platformProblem(error, 'Discord rejects the request. Try again later.')]
  }
}

/** Checks that the bot is in the main server, and that the configured roles exist there. */
export async function mainServerLines(
  { chatGuildId = '', chatAdminRoleId, chatAuditorRoleId }: Config,
  chat: ChatPlatform,
): Promise<Line[]> {
  try {
    const { name, roles } = await chat.server(chatGuildId, 'login')
    const adminRole = roles.find(({ id }) => id === chatAdminRoleId)
    if (!adminRole)
      return [problem(`${name} has no role ${chatAdminRoleId ?? ''}. Correct CHAT_ADMIN_ROLE_ID.`)]
    const auditorRole = roles.find(({ id }) => id === chatAuditorRoleId)
    if (chatAuditorRoleId !== undefined && !auditorRole)
      return [problem(`${name} has no role ${chatAuditorRoleId}. Correct CHAT_AUDITOR_ROLE_ID.`)]
    const auditor = auditorRole ? `; for auditors: ${auditorRole.name}` : ''
    return [ok(`${name}; role for System Admins: ${adminRole.name}${auditor}`)]
  } catch (error) {
    if (error instanceof ChatPlatformError && error.status === 401) {
      return [skipped('not checked: see bot token.')]
    }
    return [
      platformProblem(error, `The bot is not in server ${chatGuildId}. Invite it, or correct CHAT_GUILD_ID.`),
    ]
  }
}

/**
 * Returns the line for a failed request. If Discord gives no usable response, the configuration is not at fault, and the
 * line says so.
 */
function platformProblem(error: unknown, refused: string): Line {
  if (!(error instanceof ChatPlatformError)) throw error
  if (error.failure === 'refused') return problem(refused)
  return { ...problem(awayText(error)), isPlatformAway: true }
}

function awayText({ failure, status, message }: ChatPlatformError): string {
  if (status === 429) return 'Discord rate-limits requests. Wait a few minutes, and try again.'
  if (failure === 'unavailable' && status === undefined)
    return 'Discord does not respond. Check the network and CHAT_API_URL, or try again later.'
  return `${message} Check CHAT_API_URL, https://discordstatus.com, and the proxy between this host and Discord, if any.`
}
