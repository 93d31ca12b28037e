import { projects } from '@rolecall/contract'
import { recordAudit } from '#audit/record'
import type { Database } from '#platform/db/database'
import { schemaState } from '#platform/db/migrate'
import { ApiError } from '#platform/http/api-error'
import { compile } from '#platform/http/validation'
import type { Config } from '../config.ts'
import { planInitialAccess } from '../features/access/initial-access.ts'
import { ensureMainServer } from '../features/chat-servers/main-server.ts'
import { createProject } from '../features/projects/create-project.ts'
import { readRedirectUris } from '../features/projects/redirect-uris.ts'
import { StartRefused } from '../process/start-refused.ts'
import { withDatabase } from './with-database.ts'

const complaintsAbout = compile(projects.CreateProject)

interface NewProject {
  readonly name: string
  /** One redirect URI, or several that are separated by commas. */
  readonly redirectUri: string
}

/** Creates a project for the main server, and prints its ID and API key. The key is shown only this once. */
export async function projectsCreateCommand(name: string, { redirectUri }: { redirectUri: string }) {
  const made = await withDatabase(async (db, config) => {
    if ((await schemaState(db)).pending.length > 0) {
      throw new StartRefused('The database is not up to date. Run `rolecall migrate` first.')
    }
    return registerProject(db, config, { name, redirectUri })
  })
  console.log(projectLines(made).join('\n'))
}

/**
 * Returns the redirect URIs of a new project.
 *
 * @throws StartRefused with every problem of the name and the redirect URIs
 */
export function checkNewProject({ name, redirectUri }: NewProject): string[] {
  const { uris, problems } = readRedirectUris(redirectUri)
  const wrong = [
    ...complaintsAbout({ name }).map(({ message }) => `The name ${message}.`),
    ...problems.map(({ message }) => `The redirect URI ${message}.`),
  ]
  if (wrong.length > 0) throw new StartRefused(wrong.join('\n'))
  return uris
}

/**
 * Creates a project.
 *
 * @throws StartRefused if a value is invalid, or the name is taken
 */
export async function registerProject(
  db: Database,
  config: Config,
  project: NewProject,
): Promise<{ readonly id: string; readonly apiKey: string }> {
  const { name } = project
  const redirectUris = checkNewProject(project)
  const mainProblem = await ensureMainServer({ db }, config.chatGuildId)
  if (mainProblem) throw new StartRefused(mainProblem)
  const deps = { db, config, audit: { record: recordAudit }, planInitialAccess }
  try {
    return await createProject(deps, {}, { name, redirectUris })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'PROJECT_NAME_TAKEN') throw error
    throw new StartRefused(`A project named ${name} already exists. Choose another name.`)
  }
}

/** Returns the lines that show a new project. */
export const projectLines = ({ id, apiKey }: { readonly id: string; readonly apiKey: string }) => [
  `project  ${id}`,
  `API key  ${apiKey}  (shown only once: keep it secret)`,
]
