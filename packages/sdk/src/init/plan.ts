import { type AppFolder, findLogins, readIgnoreFiles } from './app-folder.ts'
import { completeEnv, valuesIn } from './env-file.ts'
import type { Framework } from './framework.ts'
import { addIgnored, isIgnored } from './ignored.ts'
import { complaintsAbout, mintSecret, secretNames, type Values, variableNames } from './variables.ts'

/** A file to create or to extend. */
export interface Change {
  readonly path: string
  /** Undefined if the file does not exist yet. */
  readonly before: string | undefined
  readonly after: string
  /** True if only the owner of the file may read it. */
  readonly isSecret: boolean
}

/** The changes that `rolecall-init` will make, and its messages to the developer. */
export interface Plan {
  readonly framework: Framework
  /** The files to write, in this order. */
  readonly changes: readonly Change[]
  /** Files that stay unchanged, each with its reason. */
  readonly kept: readonly { readonly path: string; readonly why: string }[]
  /** The remaining steps for the developer. */
  readonly steps: readonly string[]
  /** Warnings: given values that were not used, and existing values that are not valid. */
  readonly notes: readonly string[]
  /** The values that the app starts with after the changes. */
  readonly values: Values
  /** The address of the app, if this run writes it. Undefined if a file already had one. */
  readonly appUrl: string | undefined
}

/** Plans what to add to an app, without writing anything. */
export function makePlan(app: AppFolder, framework: Framework, given: Values): Plan {
  const env = planEnv(app, framework, given)
  const login = planLogin(app, framework)
  return {
    framework,
    // `env.changes` begins with the ignore file, so that Git never sees the file with the secret.
    changes: [...env.changes, ...login.changes],
    kept: [...env.kept, ...login.kept],
    steps: [...env.steps, ...login.steps],
    notes: env.notes,
    values: env.values,
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
          : ` (if browsers use another address, also correct ROLECALL_APP_URL in ${envFile}).`),
    )
  }
  const there = valuesIn([before, ...otherEnvFiles.map(app.read)])
  const values = { ...known, ...there }
  return {
    changes,
    kept,
    steps,
    notes: notesOn([envFile, ...otherEnvFiles].join(' or '), there, given),
    values,
    appUrl: isNew ? known.ROLECALL_APP_URL : undefined,
  }
}

/** The trailing slashes of an address, which do not count in a comparison. Other values are compared as they are. */
const endOf = (name: string) => (name.endsWith('_URL') ? /\/+$/ : '')

/**
 * Lists the warnings about values in existing files: those that are not valid, and those that differ from given values.
 */
function notesOn(where: string, there: Values, given: Values): string[] {
  const wrong = complaintsAbout(there).map(
    ({ name, rule }) => `${name} ${rule}. It was not changed. Correct it.`,
  )
  const differing = variableNames.filter(
    (name) =>
      given[name] !== undefined &&
      there[name] !== undefined &&
      there[name].replace(endOf(name), '') !== given[name],
  )
  const kept = differing.map((name) =>
    secretNames.includes(name)
      ? `${name} was kept, although another value was given (neither is shown).`
      : `${name} was kept as ${there[name]}, although ${given[name]} was given.`,
  )
  const how = `To use the given values, delete ${differing.length === 1 ? 'that line' : 'those lines'} from ${where} and run this command again.`
  return [...wrong, ...kept, ...(differing.length > 0 ? [how] : [])]
}

function planLogin(app: AppFolder, framework: Framework) {
  const changes: Change[] = []
  const kept: { path: string; why: string }[] = []
  const steps: string[] = []
  const files = framework.files(app)
  const elsewhere = findLogins(app).find((path) => !files.some((file) => namesOf(file.path).includes(path)))
  if (elsewhere) return { changes, kept: [{ path: elsewhere, why: 'contains the sign-in' }], steps }
  for (const { path, text, insteadOf = [], join } of files) {
    const found = [...namesOf(path), ...insteadOf].find(app.has)
    if (!found) changes.push(change(app, path, text))
    else kept.push({ path: found, why: 'already exists' })
    if (found && join && !/\brolecall\b/.test(app.read(found))) steps.push(`${found} is yours: ${join}.`)
  }
  if (changes.length > 0) steps.push(...framework.steps(app))
  return { changes, kept, steps }
}

/** Lists the names that a file can have, with the extensions of JavaScript and TypeScript. */
const namesOf = (path: string) =>
  ['ts', 'js', 'mts', 'mjs', 'cjs', 'tsx'].map((type) => path.replace(/\w+$/, type))

const change = (app: AppFolder, path: string, after: string): Change => ({
  path,
  before: app.has(path) ? app.read(path) : undefined,
  after,
  isSecret: false,
})
