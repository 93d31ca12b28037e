import { createHmac, timingSafeEqual } from 'node:crypto'

/** How far a signature's time may be from the database's clock, either way. */
export const toleranceSec = 300

/** A good signature: its time, and what it is recognised by when it comes again, half of it as hex. */
export interface Signature {
  readonly mac: string
  readonly timeSec: number
}

/** Why a signature is refused: the word for the failure record, and the sentence for the sender. */
export const refusals = {
  missing: 'This webhook only takes signed submissions: send X-SVC-Signature.',
  malformed: 'The signature is not in the form t=<unix seconds>,v1=<64 hexadecimal digits>.',
  mismatch:
    'No v1 of the signature fits this body and time: check the secret, and that the raw body is signed as it is sent.',
  too_old: `The time of the signature is more than ${toleranceSec} s in the past.`,
  in_future: `The time of the signature is more than ${toleranceSec} s in the future.`,
} as const

export type SignatureRefusal = keyof typeof refusals

const seconds = /^(0|[1-9]\d{0,11})$/
const hexMac = /^[0-9a-f]{64}$/i

/**
 * Verifies `t=<unix seconds>,v1=<hex>` over the raw bytes of a body. Several `v1` may stand there while a
 * secret is being replaced, and parts of other schemes are ignored. Whether it is too old is another question.
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
      // A Node decoder would stop at the first odd character and call the rest good: the form is checked first.
    } else if (name === 'v1' && more.length === 0 && hexMac.test(value)) macs.push(value)
  }
  if (time === undefined || macs.length === 0) return 'malformed'
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest()
  if (!macs.some((mac) => timingSafeEqual(Buffer.from(mac, 'hex'), expected))) return 'mismatch'
  return { mac: expected.toString('hex', 0, 16), timeSec: Number(time) }
}

/** Why a signature's time is refused, if it is, and how far off it is: in whole seconds, as signatures count. */
export function refusalOfTime(
  { timeSec }: Signature,
  nowMs: number,
): { readonly refusal: SignatureRefusal; readonly offSec: number } | undefined {
  const ageSec = Math.floor(nowMs / 1000) - timeSec
  if (Math.abs(ageSec) <= toleranceSec) return undefined
  return { refusal: ageSec > 0 ? 'too_old' : 'in_future', offSec: Math.abs(ageSec) }
}
