import { type Call, header, json, type Reply } from '../http/call.ts'
import type { SimApplication } from '../world/model.ts'

/** Returns a refusal of the OAuth endpoints. It has another shape than refusals of the rest of the API. */
export const oauthError = (error: string, description?: string, status = 400): Reply =>
  json(description === undefined ? { error } : { error, error_description: description }, status)

/** Authenticates the client by HTTP Basic or by its body. Returns a refusal, or undefined on success. */
export function refuseClient(app: SimApplication, call: Call, body: URLSearchParams): Reply | undefined {
  const basic = /^Basic (.+)$/.exec(header(call, 'authorization'))?.[1]
  const given = basic === undefined ? fromBody(body) : fromBasic(basic)
  if (given?.id === app.clientId && given.secret === app.clientSecret) return undefined
  return json({ error: 'invalid_client' }, 401, { 'www-authenticate': 'Basic realm="chat-sim"' })
}

const fromBody = (body: URLSearchParams) => ({
  id: body.get('client_id') ?? '',
  secret: body.get('client_secret') ?? '',
})

/** Reads the ID and the secret from HTTP Basic. Clients should form-encode both (RFC 6749 §2.3.1), but some do not. */
function fromBasic(encoded: string) {
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  try {
    return { id: decodeURIComponent(id), secret: decodeURIComponent(secret.join(':')) }
  } catch {
    return undefined
  }
}
