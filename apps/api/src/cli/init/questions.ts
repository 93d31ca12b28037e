import type { ChatPlatform } from '#chat/chat-platform'
import { isLoopbackHost } from '#platform/loopback'
import { parseUrl } from '#platform/parse-url'
import type { Config } from '../../config.ts'
import type { Environment } from '../../process/environment.ts'
import { callbackUrlLines } from '../doctor/callback-url.ts'
import { botLines, clientLines, mainServerLines } from '../doctor/chat-platform.ts'
import { type Line, problem } from '../doctor/line.ts'
import { cacheLines, databaseLines } from '../doctor/storage.ts'

/** Values by the name of their variable. */
export type Values = Record<string, string>

/** A question of `rolecall init`. Its answer is checked before the next question. */
export interface Question {
  /** The variable that receives the answer. */
  readonly name: string
  readonly flag?: string
  readonly text: string
  /** Returns whether to ask the question, given the values so far. Without it, the question is always asked. */
  readonly appliesTo?: (values: Environment) => boolean
  readonly isSecret?: boolean
  /** The answer if the person presses Enter, or if there is no terminal. */
  readonly preset?: string
  readonly check: (config: Config, chat: ChatPlatform) => Promise<readonly Line[]>
  /** Returns further values that follow from the answer, such as the client ID of a bot token. */
  readonly also?: (answer: string, values: Environment, chat: ChatPlatform) => Promise<Values>
  /** Returns lines to print before the question. */
  readonly hint?: (values: Environment, chat: ChatPlatform) => Promise<readonly string[]>
}

/**
 * Returns the address at which the bot is invited to a server. The bot needs no permissions to read members, so the
 * invitation requests none.
 */
export function inviteLink({ chatAuthorizeUrl }: Pick<Config, 'chatAuthorizeUrl'>, clientId: string): string {
  const url = new URL(chatAuthorizeUrl)
  url.search = new URLSearchParams({ client_id: clientId, scope: 'bot', permissions: '0' }).toString()
  return url.href
}

const bot: Question = {
  name: 'CHAT_BOT_TOKEN',
  text: 'Bot token (in the Discord developer portal, Bot, Reset Token, and turn on Server Members Intent there)',
  isSecret: true,
  check: botLines,
  also: async (_, values, chat) =>
    values['CHAT_CLIENT_ID'] ? {} : { CHAT_CLIENT_ID: (await chat.application()).clientId },
}

const client: Question = {
  name: 'CHAT_CLIENT_SECRET',
  text: 'Client secret (in the Discord developer portal, OAuth2, Reset Secret)',
  isSecret: true,
  check: async (_, chat) => clientLines(chat),
}

const server = (config: Config): Question => ({
  name: 'CHAT_GUILD_ID',
  flag: '--server',
  text: 'ID of the main server (in Discord with developer mode on, right-click the server, Copy Server ID)',
  hint: async ({ CHAT_CLIENT_ID: id = '' }) => [`Invite the bot to your server: ${inviteLink(config, id)}`],
  check: async ({ chatGuildId = '' }, chat) => {
    const { name, roles } = await chat.server(chatGuildId, 'login')
    return [{ kind: 'ok', text: `${name}, with ${roles.length} roles` }]
  },
})

const adminRole: Question = {
  name: 'CHAT_ADMIN_ROLE_ID',
  flag: '--admin-role',
  text: 'Role for System Admins: its name or ID',
  hint: async ({ CHAT_GUILD_ID: id = '' }, chat) => [
    `Roles: ${(await chat.server(id, 'login')).roles.map(({ name }) => name).join(', ')}`,
  ],
  check: mainServerLines,
}

/**
 * Returns the ID of the role with this name, because people know roles by name. If no role or several roles have the
 * name, returns the answer as it is; the validation then rejects it.
 */
export async function roleIdOf(answer: string, { CHAT_GUILD_ID: id = '' }: Environment, chat: ChatPlatform) {
  const { roles } = await chat.server(id, 'login')
  const named = roles.filter(({ name }) => name.toLowerCase() === answer.toLowerCase().replace(/^@/, ''))
  return named.length === 1 ? (named[0]?.id ?? answer) : answer
}

const isForTryingOut = (answer: string) => isLoopbackHost(parseUrl(answer)?.hostname ?? '')

const address: Question = {
  name: 'PUBLIC_URL',
  flag: '--public-url',
  text: 'Address for browsers',
  preset: 'http://127.0.0.1:3000',
  check: async ({ publicUrl }) =>
    isForTryingOut(publicUrl) || publicUrl.startsWith('https:')
      ? []
      : [problem('must begin with https://, except for an address of this machine.')],
  also: async (answer): Promise<Values> => ({
    CHAT_CALLBACK_URL: `${answer.replace(/\/$/, '')}/api/auth/callback`,
    ...(isForTryingOut(answer) ? { PORT: parseUrl(answer)?.port || '3000' } : { NODE_ENV: 'production' }),
  }),
}

const callback: Question = {
  name: 'CHAT_CALLBACK_URL',
  text: 'Add this address to the redirects of the application (Discord developer portal, OAuth2), then press Enter',
  check: callbackUrlLines,
}

const database: Question = {
  name: 'DATABASE_URL',
  flag: '--database',
  text: 'Database: postgres://…, or pglite:<folder> for the embedded database',
  // Differs from the default of the service, which in a clone of the repository is the data of the demo.
  preset: 'pglite:.rolecall/own',
  check: databaseLines,
  // Assumes a single instance, until an answer names a cache that several instances can share.
  also: async (answer, { CACHE_URL }): Promise<Values> =>
    answer.startsWith('pglite:') || CACHE_URL ? {} : { SINGLE_INSTANCE: 'true' },
}

const onPostgres = ({ DATABASE_URL: url = 'pglite:' }: Environment) => !url.startsWith('pglite:')
const inOneProcess = 'memory:'

const cache: Question = {
  name: 'CACHE_URL',
  text: 'Cache: redis://…, or memory: for a single instance',
  preset: inOneProcess,
  appliesTo: onPostgres,
  check: cacheLines,
  also: async (answer): Promise<Values> => ({ SINGLE_INSTANCE: answer === inOneProcess ? 'true' : '' }),
}

const workers: Question = {
  name: 'WORKERS',
  text: 'Worker processes: a number, or auto for one per core',
  preset: 'auto',
  appliesTo: (values) => onPostgres(values) && values['CACHE_URL'] !== inOneProcess,
  check: async () => [],
}

const trustedProxies: Question = {
  name: 'TRUST_PROXY',
  text: 'IP addresses or networks of your reverse proxies, comma-separated; empty for none',
  preset: '',
  appliesTo: (values) => onPostgres(values) || !isForTryingOut(values['PUBLIC_URL'] ?? ''),
  check: async () => [],
}

/** The questions in order. A question may use the answers to earlier ones. */
export const questions = (config: Config, { isStorageGiven = false } = {}): readonly Question[] => [
  bot,
  client,
  server(config),
  adminRole,
  address,
  callback,
  ...(isStorageGiven ? [] : [database, cache, workers, trustedProxies]),
]
