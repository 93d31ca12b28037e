import { createLog } from '#platform/log'
import { loadConfig, variableOf, variables } from '../config.ts'
import { readEnvironment } from '../process/environment.ts'
import { firstSteps } from '../process/first-steps.ts'
import { chatFor } from './chat-client.ts'
import { callbackUrlLines } from './doctor/callback-url.ts'
import { botLines, clientLines, mainServerLines } from './doctor/chat-platform.ts'
import { oidcLines, protectedHostLines } from './doctor/clients.ts'
import { readerLines } from './doctor/fast-reader.ts'
import { type Line, note, ok, problem, skipped, words } from './doctor/line.ts'
import { cacheLines, databaseLines, keyLines } from './doctor/storage.ts'

/** Checks everything that the service needs. Prints one line for each check, with the fix for each problem. */
export async function doctorCommand(): Promise<void> {
  const { config, problems, warnings } = loadConfig(readEnvironment())
  const log = createLog('silent')
  const chat = chatFor(config, log)
  // Outside production, an unsafe setting is only a note, and does not skip other checks.
  const wrong = [...problems.map(problem), ...warnings.map(config.production ? problem : note)]
  const { chatBotToken, chatClientId, chatClientSecret, chatApiUrl, outboundKey, inboundKey } = variables
  const areas: readonly Area[] = [
    {
      name: 'configuration',
      needs: [],
      check: async () => [
        ...(problems.length === 0
          ? [ok('complete'), ...wrong]
          : [...wrong, ...firstSteps(problems).map(note)]),
        ...(await readerLines()),
      ],
    },
    { name: 'database', needs: [variables.databaseUrl], check: () => databaseLines(config) },
    { name: 'cache', needs: [variables.cacheUrl], check: () => cacheLines(config) },
    {
      name: 'key fingerprints',
      needs: [outboundKey, inboundKey],
      after: 'database',
      check: () => keyLines(config),
    },
    {
      name: 'bot token',
      needs: [chatBotToken, chatApiUrl],
      needsDiscord: true,
      check: () => botLines(config, chat),
    },
    {
      name: 'client secret',
      needs: [chatClientId, chatClientSecret, chatApiUrl],
      needsDiscord: true,
      check: () => clientLines(chat),
    },
    {
      name: 'main server',
      needs: [variables.chatGuildId, variables.chatAdminRoleId, chatBotToken, chatApiUrl],
      needsDiscord: true,
      check: () => mainServerLines(config, chat),
    },
    {
      name: 'callback URL',
      needs: [variables.chatCallbackUrl, variables.publicUrl, chatApiUrl],
      check: () => callbackUrlLines(config, chat),
    },
    {
      name: 'OpenID Connect',
      needs: [variables.databaseUrl, variables.publicUrl],
      after: 'database',
      check: () => oidcLines(config),
    },
    {
      name: 'protected hosts',
      needs: [variables.databaseUrl, variables.trustProxy],
      after: 'database',
      check: () => protectedHostLines(config),
    },
  ]
  const unusable = new Set(problems.map(variableOf))
  const failed = new Set<string>()
  let away: string | undefined
  for (const area of areas) {
    const lines =
      area.needsDiscord && away !== undefined
        ? [skipped(`not checked: see ${away}.`)]
        : await linesOf(area, unusable, failed)
    if (lines.some(({ isPlatformAway }) => isPlatformAway)) away = area.name
    for (const { kind, text } of lines) {
      console.log(`${words[kind].padEnd(7)}  ${area.name.padEnd(16)}  ${text}`)
      if (kind === 'problem' || kind === 'skipped') failed.add(area.name)
      if (kind === 'problem') process.exitCode = 1
    }
  }
}

/** One check, and what it depends on. */
interface Area {
  readonly name: string
  /** The variables that the check needs. */
  readonly needs: readonly { readonly name: string }[]
  /** The check that must pass before. */
  readonly after?: string
  /** True if only a response of Discord can decide. If Discord does not respond, the check is skipped. */
  readonly needsDiscord?: boolean
  readonly check: () => Promise<Line[]>
}

/** Runs a check. Skips it if something that it depends on has failed, so that each problem is reported once. */
async function linesOf(
  { needs, after, check }: Area,
  unusable: ReadonlySet<string | undefined>,
  failed: ReadonlySet<string>,
): Promise<Line[]> {
  const names = needs.map(({ name }) => name).filter((name) => unusable.has(name))
  if (names.length > 0) return [skipped(`not checked: see configuration, ${names.join(' and ')}.`)]
  if (after !== undefined && failed.has(after)) return [skipped(`not checked: see ${after}.`)]
  return check().catch((error: unknown) => [problem(sentenceOf(error))])
}

const ownErrors = [
  'ChatPlatformError',
  'DatabaseFull',
  'DatabaseReadOnly',
  'DatabaseRefused',
  'DatabaseUnavailable',
  'FolderInUse',
  'FolderUnusable',
  'MigrationRefused',
]

/**
 * Returns an error as a sentence. The messages of our own errors are sentences without secrets; those of libraries may
 * contain an address.
 */
const sentenceOf = (error: unknown) =>
  error instanceof Error && ownErrors.includes(error.name)
    ? error.message
    : `could not be checked (${error instanceof Error ? error.name : 'unknown error'})`
