import { randomBytes } from 'node:crypto'
import { ChatPlatformError } from '#chat/chat-platform'
import { migrate } from '#platform/db/migrate'
import { openDatabase } from '#platform/db/open-database'
import { createLog } from '#platform/log'
import { loadConfig, variableOf } from '../config.ts'
import { type Environment, isTerminal, readEnvironment } from '../process/environment.ts'
import { givenSecret } from '../process/secret-files.ts'
import { StartRefused } from '../process/start-refused.ts'
import { chatFor } from './chat-client.ts'
import { type Line, problem, words } from './doctor/line.ts'
import { ask } from './init/ask.ts'
import { composeValues } from './init/compose-values.ts'
import { refuseExisting, writeEnvironment } from './init/environment-file.ts'
import { inviteLink, type Question, questions, roleIdOf, type Values } from './init/questions.ts'
import { keepOwner } from './keep-owner.ts'
import { checkNewProject, projectLines, registerProject } from './projects-create.ts'

/** The flags of `rolecall init`. */
export interface InitOptions {
  readonly server?: string
  readonly adminRole?: string
  readonly publicUrl?: string
  readonly database?: string
  readonly project?: string
  readonly redirectUri?: string
  readonly output: string
  readonly compose?: boolean
}

/**
 * Creates a complete configuration: asks for the values that are missing, checks each answer at Discord before the next
 * question, generates the keys, and creates the first project.
 */
export async function initCommand(options: InitOptions): Promise<void> {
  refuseExisting(options.output)
  const compose = options.compose ? composeValues() : undefined
  const given = { ...valuesGiven(options), ...compose?.values }
  const asked = questions(loadConfig(given).config, { isStorageGiven: compose !== undefined })
  if (!isTerminal()) refuseMissing(asked, given)
  let values: Environment = given
  for (const question of asked) {
    if (question.appliesTo?.(values) ?? true) values = await answered(question, values)
  }
  const project = compose ? undefined : await projectWanted(options)
  const complete = { ...values, ...freshKeys() }
  const { config, problems } = loadConfig(complete)
  if (problems.length > 0) throw new StartRefused(problems.join('\n'))
  await writeEnvironment(options.output, complete, compose?.extra ?? {})
  console.log(`wrote    ${options.output}`)
  console.log(`invite   ${inviteLink(config, config.chatClientId ?? '')}`)
  if (project) {
    await keepOwner(config.databaseUrl, async () => {
      const db = await openDatabase(config.databaseUrl)
      try {
        await migrate(db)
        console.log(projectLines(await registerProject(db, config, project)).join('\n'))
      } finally {
        await db.close()
      }
    })
  }
  console.log(`next     ${compose ? `docker compose --env-file ${options.output} up -d` : 'rolecall serve'}`)
}

/**
 * Returns the values that are already given: flags take precedence over the environment. Secrets are never flags,
 * because every user of the machine can see a command line.
 */
function valuesGiven(options: InitOptions): Environment {
  const environment = readEnvironment()
  const secrets = ['CHAT_BOT_TOKEN', 'CHAT_CLIENT_SECRET', 'DATABASE_URL', 'CACHE_URL'].flatMap((name) => {
    const given = givenSecret(name, environment)
    if (given && 'problem' in given) throw new StartRefused(given.problem)
    return given ? [[name, given.value]] : []
  })
  const kept = [
    'CHAT_API_URL',
    'CHAT_AUTHORIZE_URL',
    'CHAT_GATEWAY',
    'HOST',
    'PORT',
    'WORKERS',
    'TRUST_PROXY',
  ]
  const flags = {
    CHAT_GUILD_ID: options.server,
    CHAT_ADMIN_ROLE_ID: options.adminRole,
    PUBLIC_URL: options.publicUrl,
    DATABASE_URL: options.database,
  }
  return {
    ...Object.fromEntries(
      [...kept, ...Object.keys(flags)].flatMap((name) =>
        environment[name] ? [[name, environment[name]]] : [],
      ),
    ),
    ...Object.fromEntries(secrets),
    ...Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)),
  }
}

/** Throws if values are missing and there is no terminal to ask for them. Lists all of them at once. */
function refuseMissing(asked: readonly Question[], given: Environment) {
  const missing = asked.filter(
    ({ name, preset }) => !given[name] && preset === undefined && name !== 'CHAT_CALLBACK_URL',
  )
  if (missing.length === 0) return
  throw new StartRefused(
    missing
      .map(({ name, flag, text }) => `${flag ?? `${name} or ${name}_FILE`} is missing: ${text}`)
      .join('\n'),
  )
}

/** Asks until the answer is valid. Without a terminal, an invalid answer ends the command. */
async function answered(question: Question, values: Environment): Promise<Environment> {
  let answer = values[question.name] ?? (await readAnswer(question, values))
  for (;;) {
    const { filled, lines } = await checked(question, values, answer)
    for (const { kind, text } of lines) console.log(`${words[kind].padEnd(7)}  ${question.name}  ${text}`)
    if (!lines.some(({ kind }) => kind === 'problem')) return filled
    if (!isTerminal()) throw new StartRefused('Nothing was written.')
    // An empty answer repeats the check with the last value: the person may have fixed the problem at Discord.
    answer = (await readAnswer(question, values)) || answer
  }
}

async function readAnswer(
  { text, preset, isSecret = false, hint }: Question,
  values: Environment,
): Promise<string> {
  if (!isTerminal()) return preset ?? ''
  const chat = chatFor(loadConfig(values).config, createLog('silent'))
  for (const line of (await hint?.(values, chat)) ?? []) console.log(line)
  return (await ask(preset ? `${text} [${preset}]` : text, { isSecret })) || (preset ?? '')
}

async function checked(question: Question, values: Environment, answer: string) {
  const log = createLog('silent')
  try {
    const chat = chatFor(loadConfig(values).config, log)
    const value = question.name === 'CHAT_ADMIN_ROLE_ID' ? await roleIdOf(answer, values, chat) : answer
    const own: Values = { [question.name]: value }
    const { config, problems } = loadConfig({ ...values, ...own })
    const wrong = problems.filter((line) => variableOf(line) === question.name)
    if (wrong.length > 0) {
      return { filled: values, lines: wrong.map((line) => problem(line.slice(question.name.length + 1))) }
    }
    const withIt = chatFor(config, log)
    const lines = await question.check(config, withIt)
    if (lines.some(({ kind }) => kind === 'problem')) return { filled: values, lines }
    return { filled: { ...values, ...own, ...(await question.also?.(value, values, withIt)) }, lines }
  } catch (error) {
    if (!(error instanceof ChatPlatformError)) throw error
    const text =
      error.failure === 'refused'
        ? 'Discord rejects it. Correct the value.'
        : 'Discord does not respond. Try again.'
    return { filled: values, lines: [problem(text)] as readonly Line[] }
  }
}

const freshKeys = (): Values => ({
  OUTBOUND_WEBHOOK_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  INBOUND_WEBHOOK_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  METRICS_TOKEN: randomBytes(24).toString('base64url'),
})

/** Returns the first project, from the flags or from answers. Returns undefined if no project is wanted. */
async function projectWanted({ project, redirectUri }: InitOptions) {
  const name = project ?? (isTerminal() ? await ask('Name of the first project, empty for none') : '')
  if (!name) return undefined
  const wanted = {
    name,
    redirectUri: redirectUri ?? (isTerminal() ? await ask('Redirect URI of the project') : ''),
  }
  checkNewProject(wanted)
  return wanted
}
