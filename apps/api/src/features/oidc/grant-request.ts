import type { IncomingHttpHeaders } from 'node:http'
import { parse } from 'node:querystring'
import { readClientCredentials } from './client-credentials.ts'

/** An ordinary token request with a code or a refresh token, which the fast path of `plain-grants.ts` can handle. */
export interface GrantRequest {
  readonly grantType: 'authorization_code' | 'refresh_token'
  /** The code or refresh token. */
  readonly value: string
  readonly redirectUri: string | undefined
  readonly codeVerifier: string | undefined
  readonly clientId: string
  /** The digest of the client's secret; undefined if it sent none. */
  readonly secretDigest: string | undefined
}

const formType = /^application\/x-www-form-urlencoded(?:; ?charset=utf-8)?$/i
const clientFields = ['grant_type', 'client_id', 'client_secret']
const codeFields = new Set([...clientFields, 'code', 'redirect_uri', 'code_verifier'])
const refreshFields = new Set([...clientFields, 'refresh_token'])

/**
 * Reads an ordinary token request: sent by a server or an app and not by a page, and with only known fields, each once.
 * Returns undefined for every other request, which the protocol library handles.
 */
export function readGrantRequest(headers: IncomingHttpHeaders, body: Buffer): GrantRequest | undefined {
  const { origin, 'content-type': type } = headers
  if (origin !== undefined || type === undefined || !formType.test(type) || hasAttestation(headers))
    return undefined
  const form = parse(body.toString())
  const { grant_type: grantType, code, refresh_token: refreshToken } = form
  const isCode = grantType === 'authorization_code'
  const value = isCode ? code : refreshToken
  if (!isCode && grantType !== 'refresh_token') return undefined
  if (!isPlain(form, isCode ? codeFields : refreshFields) || typeof value !== 'string') return undefined
  const client = readClient(headers, form)
  return (
    client && {
      grantType,
      value,
      redirectUri: form['redirect_uri'],
      codeVerifier: form['code_verifier'],
      ...client,
    }
  )
}

const hasAttestation = (headers: IncomingHttpHeaders) =>
  headers['oauth-client-attestation'] !== undefined || headers['oauth-client-attestation-pop'] !== undefined

/** Returns true if all fields of a form are known, occur once, and are not empty. */
const isPlain = (
  form: Readonly<Record<string, unknown>>,
  fields: ReadonlySet<string>,
): form is Readonly<Record<string, string>> =>
  Object.entries(form).every(([name, value]) => fields.has(name) && typeof value === 'string' && value !== '')

/** Reads the client: with its secret from the header or the form, or only its ID. */
function readClient(headers: IncomingHttpHeaders, form: Readonly<Record<string, string>>) {
  const { client_id: clientId, client_secret: secret } = form
  if (headers.authorization !== undefined || secret !== undefined) return readClientCredentials(headers, form)
  return clientId === undefined ? undefined : { clientId, secretDigest: undefined }
}
