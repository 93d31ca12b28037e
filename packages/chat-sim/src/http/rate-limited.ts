import { json, type Reply } from './call.ts'
import type { Fault } from './faults.ts'

type Kind = Pick<Fault, 'retryAfterSec' | 'scope' | 'global' | 'headerless' | 'plain1015' | 'code'>

/** Returns a response with 429, in one of the platform's forms. */
export function rateLimited(kind: Kind): Reply {
  const { retryAfterSec, headerless = false } = kind
  const global = kind.global ?? kind.scope === 'global'
  const wait = retryAfterSec ?? (headerless || kind.plain1015 ? undefined : 1)
  const headers: Record<string, string> = {}
  // The header contains whole seconds, rounded up; the body contains the fraction.
  if (wait !== undefined) headers['retry-after'] = String(Math.ceil(wait))

  if (kind.plain1015) {
    return {
      status: 429,
      headers: { ...headers, 'content-type': 'text/plain; charset=UTF-8' },
      body: 'error code: 1015',
    }
  }
  if (headerless) {
    const message =
      'You are being blocked from accessing our API temporarily due to exceeding our rate limits.'
    return json({ code: 0, message }, 429, headers)
  }
  headers['x-ratelimit-scope'] = kind.scope ?? (global ? 'global' : 'user')
  if (global) headers['x-ratelimit-global'] = 'true'
  const body = { message: 'You are being rate limited.', retry_after: wait, global }
  return json(kind.code === undefined ? body : { ...body, code: kind.code }, 429, headers)
}
