import { createHmac } from 'node:crypto'

interface Signed {
  readonly id: string
  /** In Unix seconds. */
  readonly timestamp: number
  readonly body: string
}

/**
 * Returns the headers of Standard Webhooks: the ID, the time, and a signature with each secret over both and the body.
 * The key is the part of the secret after `whsec_`.
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
