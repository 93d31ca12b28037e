import type { Administration } from './administration.ts'
import type { Project } from './keep.ts'

const name = 'Demo site'
/**
 * No server listens there: the code stays in the browser's address bar, for readers who try the README's requests by
 * hand.
 */
const byHand = 'http://localhost:8000/callback'

/**
 * Registers the demo site through the service's administration. Reuses everything from an earlier start, except a lost
 * key.
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
  // The newest one is in use; a project may have twenty.
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
