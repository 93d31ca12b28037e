import { createDiscord } from '#chat/discord'
import { createMemoryCache } from '#platform/cache/memory-cache'
import { createLog } from '#platform/log'
import { loadConfig } from '../config.ts'
import { readEnvironment } from '../environment.ts'
import { callbackUrlLines } from './doctor/callback-url.ts'
import { botLines, mainServerLines } from './doctor/chat-platform.ts'
import { type Line, problem } from './doctor/line.ts'
import { cacheLines, databaseLines } from './doctor/storage.ts'

/** Checks everything that the service needs, one line each, with the way to mend what is wrong. */
export async function doctorCommand(): Promise<void> {
  const { config, problems, warnings } = loadConfig(readEnvironment())
  const log = createLog('silent')
  const chat = createDiscord({
    apiUrl: config.chatApiUrl,
    authorizeUrl: config.chatAuthorizeUrl,
    botToken: config.chatBotToken ?? '',
    clientId: config.chatClientId ?? '',
    clientSecret: config.chatClientSecret ?? '',
    callbackUrl: config.chatCallbackUrl ?? '',
    log,
    cache: createMemoryCache(),
  })
  const wrong = [...problems, ...warnings]
  const areas: readonly [string, () => Promise<Line[]>][] = [
    [
      'configuration',
      async () => (wrong.length === 0 ? [{ isOk: true, text: 'complete' }] : wrong.map(problem)),
    ],
    ['database', () => databaseLines(config)],
    ['cache', () => cacheLines(config, log)],
    ['bot token', () => botLines(config, chat)],
    ['main server', () => mainServerLines(config, chat)],
    ['callback URL', () => callbackUrlLines(config, chat)],
  ]
  for (const [area, check] of areas) {
    const lines = await check().catch((error: unknown) => [problem(sentenceOf(error))])
    for (const { isOk, text } of lines) {
      console.log(`${isOk ? 'ok     ' : 'PROBLEM'}  ${area.padEnd(13)}  ${text}`)
      if (!isOk) process.exitCode = 1
    }
  }
}

/** Messages of our own errors are sentences without secrets; what others wrote may hold an address. */
const sentenceOf = (error: unknown) =>
  error instanceof Error && ['ChatPlatformError', 'DatabaseUnavailable', 'FolderInUse'].includes(error.name)
    ? error.message
    : `could not be checked (${error instanceof Error ? error.name : 'unknown error'})`
