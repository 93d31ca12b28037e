import { createClient } from './generated/client/index.js'
import { createOwnWebhook, createProject, listProjects, submit } from './generated/sdk.gen.js'
import type { Project } from './generated/types.gen.js'

/** Creates a project with a webhook and submits to it, with the client that hey-api generates. */
export async function walk(baseUrl: string, token: string) {
  const admin = createClient({ baseUrl, headers: { Authorization: `Bearer ${token}` } })
  const { data, error } = await createProject({ client: admin, body: { name: 'Made by an SDK' } })
  if (error) throw new Error(`${error.status} ${error.code}`)
  const project: Project = data.project
  const { data: list } = await listProjects({ client: admin, query: { name: project.name } })

  const own = createClient({ baseUrl, headers: { 'X-API-Key': data.apiKey } })
  const { error: refused } = await createOwnWebhook({ client: own, body: { name: 'Form', schema: {} } })
  const { error: unknown } = await submit({ client: own, path: { id: 'form' }, body: { title: 'Any JSON' } })
  return { total: list?.total, refused: refused?.code, unknown: unknown?.code }
}
