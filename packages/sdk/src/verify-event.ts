import type { RolecallEvent } from './events.ts'

/** Options of `verifyEvent()`. */
export interface VerifyEvent {
  /** The body of the request, exactly as it was received. */
  readonly body: string | Uint8Array<ArrayBuffer>
  /** The headers of the request, with `webhook-id`, `webhook-timestamp` and `webhook-signature`. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The project's signing secret for events, including its prefix: `whsec_…`. */
  readonly secret: string
  /** The time of receipt. Default: now. A signature is valid within five minutes of its own time. */
  readonly at?: Date
}

const toleranceSec = 300

/**
 * Verifies an event that was posted to the project's `eventsUrl`, and returns it. Resolves to undefined if the service
 * did not send it, or sent it more than five minutes ago. An event can arrive twice. Its `id` is then the same.
 *
 * @throws TypeError if the body was parsed before, or the secret is not a signing secret of events
 *
 * @example
 * const event = await verifyEvent({ body: await request.text(), headers: request.headers, secret })
 * if (!event) return new Response(null, { status: 401 })
 */
export async function verifyEvent({
  body,
  headers,
  secret,
  at = new Date(),
}: VerifyEvent): Promise<RolecallEvent | undefined> {
  const header = (name: string) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    return typeof value === 'string' ? value : ''
  }
  const [id, time] = [header('webhook-id'), header('webhook-timestamp')]
  if (!id || !/^\d{1,12}$/.test(time)) return undefined
  if (Math.abs(at.getTime() / 1_000 - Number(time)) > toleranceSec) return undefined
  const text = textOf(body)
  if (text === undefined) return undefined
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytesOf(secret), algorithm, false, ['verify'])
  const signed = new TextEncoder().encode(`${id}.${time}.${text}`)
  for (const signature of header('webhook-signature').split(' ')) {
    const mac = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature)?.[1]
    if (mac && (await crypto.subtle.verify(algorithm.name, key, fromBase64(mac), signed))) {
      const { type, data } = JSON.parse(text)
      return { id, type, data }
    }
  }
  return undefined
}

/**
 * Returns the body as text, or undefined if the request had none. For such a request, `express.text()` sets an empty
 * object, and anyone can send one.
 */
function textOf(body: unknown): string | undefined {
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return new TextDecoder().decode(body)
  if (typeof body !== 'object' || body === null || Object.keys(body).length === 0) return undefined
  throw new TypeError(
    'body must be the raw body of the request, as text or bytes. Do not parse it first, for example with express.json().',
  )
}

function bytesOf(secret: string): Uint8Array<ArrayBuffer> {
  const text = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(secret)?.[1]
  if (!text) throw new TypeError('secret must be the signing secret of events: whsec_ and base64')
  return fromBase64(text)
}

const fromBase64 = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
