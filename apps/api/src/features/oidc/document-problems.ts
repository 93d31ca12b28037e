import { redirectUriProblem } from '@rolecall/contract'

/** The part of a client ID metadata document that the service uses. */
export interface ClientDocument {
  readonly redirectUris: readonly string[]
}

const maxRedirectUris = 20

/**
 * Reads a client ID metadata document (draft-ietf-oauth-client-id-metadata-document). If it cannot be used, returns all
 * of its problems. They quote nothing from the document, because pages show them. `id` is the document's address.
 */
export function readDocument(id: string, value: unknown): ClientDocument | readonly string[] {
  if (!isObject(value)) return ['the document must be a JSON object']
  const { client_id: clientId, redirect_uris: redirectUris } = value
  const problems = [
    ...(clientId === id ? [] : ['client_id must be exactly the address of the document']),
    ...problemsWithUris(redirectUris),
    ...problemsWithSecrets(value),
    ...problemWithList(value, 'grant_types', 'authorization_code'),
    ...problemWithList(value, 'response_types', 'code'),
  ]
  return problems.length > 0 ? problems : { redirectUris: redirectUris as string[] }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function problemsWithUris(uris: unknown): string[] {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > maxRedirectUris)
    return [`redirect_uris must be a list of 1 to ${maxRedirectUris} addresses`]
  return uris.flatMap((uri: unknown, i) => {
    const problem = typeof uri === 'string' ? redirectUriProblem(uri) : 'must be a string'
    return problem === undefined ? [] : [`redirect_uris[${i}] ${problem}`]
  })
}

function problemsWithSecrets(document: Readonly<Record<string, unknown>>): string[] {
  const secrets = ['client_secret', 'client_secret_expires_at'].filter((name) =>
    Object.hasOwn(document, name),
  )
  const { token_endpoint_auth_method: method = 'none' } = document
  return [
    ...secrets.map((name) => `${name} must not be in a public document`),
    ...(method === 'none' ? [] : ['token_endpoint_auth_method must be none']),
  ]
}

const problemWithList = (document: Readonly<Record<string, unknown>>, name: string, required: string) => {
  const { [name]: list = [required] } = document
  return Array.isArray(list) && list.includes(required) ? [] : [`${name} must be a list with ${required}`]
}
