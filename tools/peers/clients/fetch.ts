import createClient from 'openapi-fetch'
import type { components, paths } from './schema.js'

/** Creates a project and validates an unknown token, with the types that openapi-typescript generates. */
export async function walk(baseUrl: string, token: string) {
  const admin = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } })
  const { data, error } = await admin.POST('/api/admin/projects', { body: { name: 'Made by a client' } })
  if (error) throw new Error(`${error.status} ${error.code}`)
  const { project, apiKey } = data
  const made: components['schemas']['Project'] = project

  const { error: refused } = await createClient<paths>({
    baseUrl,
    headers: { 'X-API-Key': apiKey },
  }).POST('/api/auth/validate', { body: { token: 'rcs_unknown' } })
  return { name: made.name, refused: refused?.code }
}
