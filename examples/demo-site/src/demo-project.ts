import { type ChatSim, demo } from '@rolecall/chat-sim'
import type { Project } from './keep.ts'
import { walk } from './walk.ts'

const name = 'Demo site'

interface Terms {
  readonly serviceUrl: string
  readonly sim: Pick<ChatSim, 'login'>
  readonly redirectUri: string
}

/**
 * Registers the demo site over the service's administration, as a System Admin would. Whatever of it was done
 * before is found and kept, except a key that nobody knows any more.
 */
export async function registerProject(
  { serviceUrl, sim, redirectUri }: Terms,
  known: Project | undefined,
): Promise<Project> {
  const token = await adminToken(serviceUrl, sim)
  const admin = <Answer>(method: string, path: string, body?: unknown) =>
    call<Answer>(method, `${serviceUrl}/api/${path}`, body, token)

  const { data } = await admin<{ data: Registered[] }>(
    'GET',
    `admin/projects?name=${encodeURIComponent(name)}`,
  )
  const found = data.find((one) => one.name === name)
  const { project, apiKey } = found
    ? { project: found, apiKey: known?.id === found.id ? known.apiKey : undefined }
    : await admin<{ project: Registered; apiKey?: string }>('POST', 'admin/projects', {
        name,
        description: 'What npm start shows.',
      })
  // The newest is the one that is used; a project may have twenty.
  const redirectUris = [redirectUri, ...project.redirectUris.filter((uri) => uri !== redirectUri)].slice(
    0,
    20,
  )
  const path = `admin/projects/${project.id}`
  await admin('PATCH', `${path}/redirect-uri`, { redirectUri: redirectUris.join(',') })
  const key = apiKey ?? (await admin<{ apiKey: string }>('POST', `${path}/regenerate-api-key`)).apiKey
  await admin('POST', 'auth/admin/logout')
  return { ...(apiKey && known), id: project.id, apiKey: key, redirectUri }
}

interface Registered {
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
}

/** Logs in as Mara Lind, who holds the admin role. */
async function adminToken(serviceUrl: string, sim: Pick<ChatSim, 'login'>): Promise<string> {
  const end = await walk(`${serviceUrl}/api/auth/admin/login?return_to=/console/`, sim, demo.users.mara)
  const code = new URLSearchParams(end.hash.slice(1)).get('code')
  return (await call<{ token: string }>('POST', `${serviceUrl}/api/auth/admin/token`, { code })).token
}

async function call<Answer>(method: string, url: string, body?: unknown, token?: string): Promise<Answer> {
  const answer = await fetch(url, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Answer
}
