import { parseArgs } from 'node:util'
import { CannotInit } from './cannot-init.ts'
import type { Values } from './variables.ts'

export const help = `rolecall-init: puts the login of Rolecall into the app in this folder.

  npx --no --offline rolecall-init [options]

It finds the framework in package.json (Next.js, Nuxt, SvelteKit, Express, Fastify or Hono) and makes what is missing:

  .env            a line for each variable that has none (.env.local for Next.js), and a new secret for the cookies
  .gitignore      a line for that file
  the login       the file or files that the framework wants

Nothing that is there is changed: a second run makes nothing, and says so. What was given otherwise than it is there, or cannot
work, is named. Where address, project and key are known, Rolecall is asked whether they belong together.

  --url <address>        where Rolecall is, e.g. https://id.example         (ROLECALL_URL)
  --client-id <id>       the project's id                                   (ROLECALL_CLIENT_ID)
  --server-id <id>       the chat server whose members may log in           (ROLECALL_SERVER_ID)
  --app-url <address>    where browsers reach the app; else a guess         (ROLECALL_APP_URL)
  --key -                reads the project's key from the standard input    (ROLECALL_API_KEY)
  --framework <name>     next, nuxt, sveltekit, express, fastify, hono or workers
  --dry-run              shows what would be written, without secrets, and writes nothing
  --help

What is not given is taken from the environment, from the variable in brackets; what is not there either is left open in
the file, and named. The key is never an argument, because arguments stay in the history of the shell:

  npx --no --offline rolecall-init --url https://id.example --key - < key.txt
`

export interface CommandLine {
  readonly isHelp: boolean
  readonly isDryRun: boolean
  readonly readsKey: boolean
  readonly framework: string | undefined
  /** From the arguments, otherwise from the environment. An empty value counts as missing. */
  readonly values: Values
}

/** @throws CannotInit that says which argument is not valid. */
export function readCommandLine(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): CommandLine {
  const given = parse(args)
  if (given.key !== undefined && given.key !== '-') {
    throw new CannotInit(
      '--key takes only -, for the standard input: a key among the arguments stays in the history of the shell.',
    )
  }
  const named = {
    ROLECALL_URL: given.url,
    ROLECALL_CLIENT_ID: given['client-id'],
    ROLECALL_SERVER_ID: given['server-id'],
    ROLECALL_APP_URL: given['app-url'],
    ROLECALL_API_KEY: undefined,
    ROLECALL_SECRET: undefined,
  }
  const values = Object.entries(named).flatMap(([name, argument]) => {
    const value = (argument ?? env[name] ?? '').trim()
    return value === '' ? [] : [[name, withoutSlash(name, value)]]
  })
  return {
    isHelp: given.help === true,
    isDryRun: given['dry-run'] === true,
    readsKey: given.key === '-',
    framework: given.framework,
    values: Object.fromEntries(values),
  }
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        url: text,
        'client-id': text,
        'server-id': text,
        'app-url': text,
        key: text,
        framework: text,
        'dry-run': flag,
        help: { ...flag, short: 'h' },
      },
    }).values
  } catch (error) {
    // Keeps the first sentence, which is about the arguments: the second one is about Node.js.
    const [why] = error instanceof Error ? error.message.split('. ') : []
    throw new CannotInit(`${why}. rolecall-init --help lists what there is.`)
  }
}

const withoutSlash = (name: string, value: string) =>
  name.endsWith('_URL') ? value.replace(/\/+$/, '') : value
