import { createHmac } from 'node:crypto'

/** The signed content. */
interface Signed {
  readonly id: string
  /** The time of the attempt in Unix seconds. */
  readonly timestamp: number
  readonly body: string
}

/**
 * Returns the headers of a Standard Webhooks message: the ID, the time, and one signature for each secret. The
 * signature covers the ID, the time, and the body. The key is the Base64 part of the secret, after `whsec_`.
 */
export function signEvent(
  secrets: readonly string[],
  { id, timestamp, body }: Signed,
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': `${timestamp}`,
    'webhook-signature': signatures.join(' '),
  }
}
