import type { Administration } from './administration.ts'
import type { Project } from './keep.ts'

const name = 'Demo site'
/**
 * A redirect URI at which no server listens. The code stays in the browser's address bar, for readers who try the
 * README's requests by hand.
 */
const byHand = 'http://localhost:8000/callback'

/**
 * Registers the demo site as a project of the service. Reuses the project and its key from an earlier start. If the key
 * was lost, creates a new one.
 */
export async function registerProject(
  { ask }: Administration,
  redirectUri: string,
  known: Project | undefined,
): Promise<Project> {
  const { data } = await ask<{ data: Registered[] }>('GET', `projects?name=${encodeURIComponent(name)}`)
  const found = data.find((one) => one.name === name)
  const { project, apiKey } = found
    ? { project: found, apiKey: known?.id === found.id ? known.apiKey : undefined }
    : await ask<{ project: Registered; apiKey?: string }>('POST', 'projects', {
        name,
        description: 'The site that npm start shows.',
      })
  // A project can have twenty redirect URIs. Puts the current one first, and drops the last ones.
  const others = project.redirectUris.filter((uri) => uri !== redirectUri && uri !== byHand)
  const redirectUris = [redirectUri, byHand, ...others].slice(0, 20)
  const path = `projects/${project.id}`
  await ask('PATCH', `${path}/redirect-uri`, { redirectUri: redirectUris.join(',') })
  const key = apiKey ?? (await ask<{ apiKey: string }>('POST', `${path}/regenerate-api-key`)).apiKey
  return { ...(apiKey && known), id: project.id, apiKey: key, redirectUri }
}

interface Registered {
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
}
