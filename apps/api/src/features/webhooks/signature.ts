import { createHmac, timingSafeEqual } from 'node:crypto'

/** The maximum difference in seconds between a signature's time and the database's clock, in either direction. */
export const toleranceSec = 300

/** A verified signature. */
export interface Signature {
  /** The first half of the MAC in hexadecimal, which identifies the signature if it is sent again. */
  readonly mac: string
  readonly timeSec: number
}

/** The reasons for rejecting a signature: the word for the failure record, and the sentence for the sender. */
export const refusals = {
  missing: 'This webhook accepts only signed submissions. Send X-SVC-Signature.',
  malformed: 'The signature is not in the form t=<unix seconds>,v1=<64 hexadecimal digits>.',
  mismatch:
    'No v1 value of the signature matches this body and time. Check the secret, and sign the raw body exactly as it is sent.',
  too_old: `The time of the signature is more than ${toleranceSec} s in the past.`,
  in_future: `The time of the signature is more than ${toleranceSec} s in the future.`,
} as const

/** A reason for rejecting a signature, as the failure record names it. */
export type SignatureRefusal = keyof typeof refusals

const seconds = /^(0|[1-9]\d{0,11})$/
const hexMac = /^[0-9a-f]{64}$/i

/**
 * Verifies a header `t=<unix seconds>,v1=<hex>` against the raw bytes of a body. The header may have several `v1`, for
 * example while a sender replaces its secret, and one must match. Parts with other names are ignored. Returns the
 * reason for a rejection. Does not check the time: `refusalOfTime` does.
 */
export function verifySignature(
  header: string,
  secret: string,
  body: Uint8Array,
): Signature | 'malformed' | 'mismatch' {
  let time: string | undefined
  const macs: string[] = []
  for (const part of header.split(',')) {
    const [name, value = '', ...more] = part.trim().split('=')
    if (name === 't') {
      if (time !== undefined || more.length > 0 || !seconds.test(value)) return 'malformed'
      time = value
      // The form is checked first, because Node.js decodes hexadecimal only up to the first invalid character.
    } else if (name === 'v1' && more.length === 0 && hexMac.test(value)) macs.push(value)
  }
  if (time === undefined || macs.length === 0) return 'malformed'
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest()
  if (!macs.some((mac) => timingSafeEqual(Buffer.from(mac, 'hex'), expected))) return 'mismatch'
  return { mac: expected.toString('hex', 0, 16), timeSec: Number(time) }
}

/**
 * Returns undefined if the time of a signature is accepted. Otherwise returns the reason, and how many seconds the time
 * is before or after `nowMs`.
 */
export function refusalOfTime(
  { timeSec }: Signature,
  nowMs: number,
): { readonly refusal: SignatureRefusal; readonly offSec: number } | undefined {
  const ageSec = Math.floor(nowMs / 1000) - timeSec
  if (Math.abs(ageSec) <= toleranceSec) return undefined
  return { refusal: ageSec > 0 ? 'too_old' : 'in_future', offSec: Math.abs(ageSec) }
}
