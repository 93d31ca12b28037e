import { type AppFolder, findLogins, readIgnoreFiles } from './app-folder.ts'
import { completeEnv } from './env-file.ts'
import type { Framework } from './framework.ts'
import { addIgnored, isIgnored } from './ignored.ts'
import { mintSecret, type Values } from './variables.ts'

/** A file that is made, or added to. */
export interface Change {
  readonly path: string
  /** Undefined where there is no such file yet. */
  readonly before: string | undefined
  readonly after: string
  /** Readable by its owner only. */
  readonly isSecret: boolean
}

export interface Plan {
  readonly framework: Framework
  /** In the order of writing. */
  readonly changes: readonly Change[]
  /** Files that stay as they are, and why. */
  readonly kept: readonly { readonly path: string; readonly why: string }[]
  readonly steps: readonly string[]
  /** Where the app is, if it is known to this command. */
  readonly appUrl: string | undefined
}

/** What is missing in an app; nothing is written yet. */
export function makePlan(app: AppFolder, framework: Framework, given: Values): Plan {
  const env = planEnv(app, framework, given)
  const login = planLogin(app, framework)
  return {
    framework,
    // Before there is a secret, it is ignored.
    changes: [...env.changes, ...login.changes],
    kept: [...env.kept, ...login.kept],
    steps: [...env.steps, ...login.steps],
    appUrl: env.appUrl,
  }
}

function planEnv(app: AppFolder, { envFile, otherEnvFiles, appUrl }: Framework, given: Values) {
  const changes: Change[] = []
  const kept: { path: string; why: string }[] = []
  const ignoreFiles = readIgnoreFiles(app)
  if (isIgnored(envFile, ignoreFiles)) kept.push({ path: '.gitignore', why: `names ${envFile}` })
  else changes.push(change(app, '.gitignore', addIgnored(envFile, app.read('.gitignore'))))
  const before = app.read(envFile)
  const known = { ROLECALL_APP_URL: appUrl, ROLECALL_SECRET: mintSecret(), ...given }
  const { text, set, open } = completeEnv(before, known, otherEnvFiles.map(app.read))
  if (text === before) kept.push({ path: envFile, why: 'has a line for each variable' })
  else changes.push({ ...change(app, envFile, text), isSecret: true })
  const steps = open.length > 0 ? [`Fill in ${open.join(', ')} in ${envFile}.`] : []
  const isNew = set.includes('ROLECALL_APP_URL')
  if (isNew) {
    steps.push(
      `Add ${known.ROLECALL_APP_URL}/auth/callback to the redirect URIs of the project` +
        (given.ROLECALL_APP_URL
          ? '.'
          : ` (if browsers reach the app elsewhere: mend ROLECALL_APP_URL in ${envFile}, too).`),
    )
  }
  return { changes, kept, steps, appUrl: isNew ? known.ROLECALL_APP_URL : undefined }
}

function planLogin(app: AppFolder, framework: Framework) {
  const changes: Change[] = []
  const kept: { path: string; why: string }[] = []
  const steps: string[] = []
  const files = framework.files(app)
  const elsewhere = findLogins(app).find((path) => !files.some((file) => namesOf(file.path).includes(path)))
  if (elsewhere) return { changes, kept: [{ path: elsewhere, why: 'makes the login' }], steps }
  for (const { path, text, insteadOf = [], join } of files) {
    const found = [...namesOf(path), ...insteadOf].find(app.has)
    if (!found) changes.push(change(app, path, text))
    else kept.push({ path: found, why: 'is there' })
    if (found && join && !/\brolecall\b/.test(app.read(found))) steps.push(`${found} is yours: ${join}.`)
  }
  if (changes.length > 0) steps.push(...framework.steps(app))
  return { changes, kept, steps }
}

/** The same file in whatever language the app may have written it. */
const namesOf = (path: string) =>
  ['ts', 'js', 'mts', 'mjs', 'cjs', 'tsx'].map((type) => path.replace(/\w+$/, type))

const change = (app: AppFolder, path: string, after: string): Change => ({
  path,
  before: app.has(path) ? app.read(path) : undefined,
  after,
  isSecret: false,
})
