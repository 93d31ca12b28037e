import { createDiscord } from '#chat/discord'
import { createMemoryCache } from '#platform/cache/memory-cache'
import { createLog } from '#platform/log'
import { loadConfig } from '../config.ts'
import { readEnvironment } from '../environment.ts'
import { callbackUrlLines } from './doctor/callback-url.ts'
import { botLines, clientLines, mainServerLines } from './doctor/chat-platform.ts'
import { type Line, note, ok, problem } from './doctor/line.ts'
import { cacheLines, databaseLines, keyLines } from './doctor/storage.ts'

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
  // What production refuses is elsewhere worth knowing, and in nobody's way.
  const wrong = [...problems.map(problem), ...warnings.map(config.production ? problem : note)]
  const areas: readonly [string, () => Promise<Line[]>][] = [
    ['configuration', async () => (problems.length === 0 ? [ok('complete'), ...wrong] : wrong)],
    ['database', () => databaseLines(config)],
    ['cache', () => cacheLines(config, log)],
    ['key fingerprints', () => keyLines(config)],
    ['bot token', () => botLines(config, chat)],
    ['client secret', () => clientLines(config, chat)],
    ['main server', () => mainServerLines(config, chat)],
    ['callback URL', () => callbackUrlLines(config, chat)],
  ]
  for (const [area, check] of areas) {
    const lines = await check().catch((error: unknown) => [problem(sentenceOf(error))])
    for (const { kind, text } of lines) {
      console.log(`${words[kind].padEnd(7)}  ${area.padEnd(16)}  ${text}`)
      if (kind === 'problem') process.exitCode = 1
    }
  }
}

const words: Readonly<Record<Line['kind'], string>> = { ok: 'ok', note: 'note', problem: 'PROBLEM' }

const ownErrors = [
  'ChatPlatformError',
  'DatabaseRefused',
  'DatabaseUnavailable',
  'FolderInUse',
  'FolderUnusable',
  'MigrationRefused',
]

/** Messages of our own errors are sentences without secrets; what others wrote may hold an address. */
const sentenceOf = (error: unknown) =>
  error instanceof Error && ownErrors.includes(error.name)
    ? error.message
    : `could not be checked (${error instanceof Error ? error.name : 'unknown error'})`
