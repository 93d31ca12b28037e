import { parseArgs } from 'node:util'
import { CannotInit } from './cannot-init.ts'
import type { Values } from './variables.ts'

/** The text of `rolecall-init --help`. */
export const help = `rolecall-init adds the Rolecall sign-in to the app in this folder.

  npx --no --offline rolecall-init [options]

It finds the framework in package.json (Next.js, Nuxt, SvelteKit, Express, Fastify, or Hono) and creates missing parts:

  .env            a line for each missing variable (.env.local for Next.js), and a new secret for the cookies
  .gitignore      a line for that file
  the sign-in     the files that the framework requires

It never changes existing lines or files, so a second run changes nothing and reports that. It reports values that differ
from the given ones and values that cannot work. If the address, the project, and the key are known, it checks with
Rolecall that they belong together.

  --url <address>        address of Rolecall, e.g. https://id.example       (ROLECALL_URL)
  --client-id <id>       ID of the project                                  (ROLECALL_CLIENT_ID)
  --server-id <id>       ID of the Discord server for sign-in               (ROLECALL_SERVER_ID)
  --app-url <address>    address of the app for browsers; default: a guess  (ROLECALL_APP_URL)
  --key -                read the key of the project from standard input    (ROLECALL_API_KEY)
  --framework <name>     next, nuxt, sveltekit, express, fastify, hono, or workers
  --dry-run              show the changes without secrets, and write nothing
  --help

Copy the IDs from the pages Projects and Servers of the console.

Missing options come from the environment, from the variable in parentheses. Values that are missing there as well stay
empty in the file and are reported. The key is never an argument, because arguments stay in the shell history:

  npx --no --offline rolecall-init --url https://id.example --key - < key.txt
`

/** The arguments of `rolecall-init`. */
export interface CommandLine {
  readonly isHelp: boolean
  readonly isDryRun: boolean
  /** True for `--key -`: the key is read from standard input. */
  readonly readsKey: boolean
  readonly framework: string | undefined
  /** The values from the arguments or, if an argument is missing, from the environment. Empty values are left out. */
  readonly values: Values
}

/**
 * Parses the arguments.
 *
 * @throws CannotInit that says which argument is not valid
 */
export function readCommandLine(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): CommandLine {
  const given = parse(args)
  if (given.key !== undefined && given.key !== '-') {
    throw new CannotInit(
      '--key accepts only -, for standard input, because a key in the arguments stays in the shell history.',
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
    // Keeps only the first sentence of the message. The others are advice of Node.js to programmers.
    const [why] = error instanceof Error ? error.message.split('. ') : []
    throw new CannotInit(`${why}. rolecall-init --help lists the options.`)
  }
}

const withoutSlash = (name: string, value: string) =>
  name.endsWith('_URL') ? value.replace(/\/+$/, '') : value
