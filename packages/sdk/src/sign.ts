/** Options of `webhooks.sign()`. */
export interface Sign {
  /** The body, exactly as you send it. */
  readonly body: string | Uint8Array<ArrayBuffer>
  /** The webhook's signing secret, including its prefix: `whsec_…`. */
  readonly secret: string
  /** The time of signing. Default: now. The service accepts the signature within five minutes of this time. */
  readonly at?: Date
}

/**
 * Signs the body of a submission to an inbound webhook. Returns the value for the header `X-SVC-Signature`.
 *
 * @example
 * const body = JSON.stringify(form)
 * const headers = { 'content-type': 'application/json', 'x-svc-signature': await sign({ body, secret }) }
 */
export async function sign({ body, secret, at = new Date() }: Sign): Promise<string> {
  const encoder = new TextEncoder()
  const time = Math.floor(at.getTime() / 1_000)
  const start = encoder.encode(`${time}.`)
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  const signed = new Uint8Array(start.length + bytes.length)
  signed.set(start)
  signed.set(bytes, start.length)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
  return `t=${time},v1=${[...mac].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
