import { type ChatPlatform, ChatPlatformError } from '#chat/chat-platform'
import type { Config } from '../../config.ts'
import { type Line, ok, problem, skipped } from './line.ts'

/** Checks that the platform knows the bot, and gives it the access it needs. */
export async function botLines(config: Config, chat: ChatPlatform): Promise<Line[]> {
  try {
    const name = await chat.bot()
    const { clientId, mayHearOfMembers } = await chat.application()
    const lines = [ok(`the platform knows it as ${name}`)]
    if (config.chatClientId && clientId !== config.chatClientId) {
      lines.push(problem(`CHAT_CLIENT_ID is ${config.chatClientId}, but this bot belongs to ${clientId}.`))
    }
    if (config.chatGateway && !mayHearOfMembers) {
      lines.push(
        problem(
          'The gateway would close with code 4014, disallowed intents. Switch on the "Server Members Intent" in the Discord ' +
            'developer portal, Bot, Privileged Gateway Intents, or set CHAT_GATEWAY=off.',
        ),
      )
    }
    return lines
  } catch (error) {
    return [platformProblem(error, 'The platform refuses it: copy it again from the page of the bot.')]
  }
}

/** Checks that the platform accepts the client ID and secret with which every sign-in is exchanged. */
export async function clientLines(chat: ChatPlatform): Promise<Line[]> {
  try {
    if (await chat.isClientAccepted()) return [ok('the platform takes it')]
    return [
      problem(
        'The platform refuses CHAT_CLIENT_ID with CHAT_CLIENT_SECRET: copy both again from its OAuth2 page.',
      ),
    ]
  } catch (error) {
    return [platformProblem(error, 'The platform refuses the question: try again later.')]
  }
}

/** Checks that the bot is in the main server, and that the admin role exists. */
export async function mainServerLines(
  { chatGuildId = '', chatAdminRoleId, chatAuditorRoleId }: Config,
  chat: ChatPlatform,
): Promise<Line[]> {
  try {
    const { name, roles } = await chat.server(chatGuildId, 'login')
    const adminRole = roles.find(({ id }) => id === chatAdminRoleId)
    if (!adminRole)
      return [problem(`${name} has no role ${chatAdminRoleId ?? ''}: correct CHAT_ADMIN_ROLE_ID.`)]
    const auditorRole = roles.find(({ id }) => id === chatAuditorRoleId)
    if (chatAuditorRoleId !== undefined && !auditorRole)
      return [problem(`${name} has no role ${chatAuditorRoleId}: correct CHAT_AUDITOR_ROLE_ID.`)]
    const auditor = auditorRole ? `, ${auditorRole.name} an auditor` : ''
    return [ok(`${name}; its role ${adminRole.name} makes a System Admin${auditor}`)]
  } catch (error) {
    if (error instanceof ChatPlatformError && error.status === 401) {
      return [skipped('not checked: see bot token.')]
    }
    return [
      platformProblem(error, `The bot is not in server ${chatGuildId}: invite it, or correct CHAT_GUILD_ID.`),
    ]
  }
}

/** Returns the line for a failed request. An outage is not the configuration's fault, and the line states that. */
function platformProblem(error: unknown, refused: string): Line {
  if (!(error instanceof ChatPlatformError)) throw error
  if (error.failure === 'refused') return problem(refused)
  return problem('The platform does not answer. Check the network and CHAT_API_URL, or try again later.')
}
