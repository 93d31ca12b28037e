import type { LookupAddress } from 'node:dns'
import * as http from 'node:http'
import * as https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isLoopbackAddress, isLoopbackHost } from '#platform/loopback'
import { isPublicAddress } from './public-address.ts'
import type { ResolveHost } from './resolve-host.ts'

/** Longest wait for an answer: name, connection, TLS and head together. */
const deadlineMs = 10_000
/** Longer answers are not read to their end: only the status counts. */
const maxBytes = 16 * 1024
/** Shorter than servers keep a connection, so that it is rarely closed just as it is used again. */
const idleMs = 3_000

/** What became of one try. `status` is null where no answer came. */
export interface Answered {
  readonly status: number | null
  readonly error: string | null
  readonly retryAfter: string | undefined
  readonly tookMs: number
  /** We hung up ourselves. */
  readonly isAborted: boolean
}

export interface PostContent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Posts to an address of somebody else's choice. Bounded in time and size; follows no redirect; never throws. */
export type Post = (url: URL, content: PostContent, signal: AbortSignal) => Promise<Answered>

export interface Reach {
  /** Private addresses, too: receivers inside the operator's own network. */
  readonly allowPrivate: boolean
  /** Hosts that are loopback by their very text. */
  readonly allowLoopbackHosts: boolean
  readonly resolve: ResolveHost
  /** Whether an address that a name has may be connected to. */
  readonly isPublic?: (address: string) => boolean
}

/** The host may not be connected to. */
class NotReachable extends Error {}

/** Which addresses a host may stand for. A name is never trusted to mean this machine; only its literal text is. */
function addressRule(
  hostname: string,
  { allowPrivate, allowLoopbackHosts, isPublic = isPublicAddress }: Reach,
) {
  if (allowPrivate) return () => true
  return allowLoopbackHosts && isLoopbackHost(hostname) ? isLoopbackAddress : isPublic
}

/** The host of a URL without the brackets of IPv6. */
const bareHost = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')

/** True where a host that is written as an address may be connected to; a name is looked up when it is. */
export function isReachableLiteral(url: URL, reach: Omit<Reach, 'resolve'>): boolean {
  const host = bareHost(url)
  return isIP(host) === 0 || addressRule(url.hostname, { ...reach, resolve: async () => [] })(host)
}

/**
 * The socket asks this for the addresses of its host and connects to no other: what was checked is what is connected to,
 * whatever the name means a moment later.
 */
const checkedLookup =
  (url: URL, reach: Reach): LookupFunction =>
  (hostname, options, callback) => {
    const isAllowed = addressRule(url.hostname, reach)
    const connect = (found: readonly LookupAddress[]) => {
      const allowed = found.filter(({ address }) => isAllowed(address))
      const [first] = allowed
      if (!first) {
        const why = found.length > 0 ? 'Its name has no public address.' : 'Its name could not be resolved.'
        callback(new NotReachable(why), '')
      } else if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    }
    reach.resolve(hostname).then(connect, (error: Error) => callback(error, ''))
  }

/** Keeps connections for a moment, so that many events in a row need one. */
export function createPost(reach: Reach): Post {
  const agents = {
    'http:': new http.Agent({ keepAlive: true, timeout: idleMs, maxFreeSockets: 64 }),
    'https:': new https.Agent({ keepAlive: true, timeout: idleMs, maxFreeSockets: 64 }),
  }

  const send = (url: URL, { headers, body }: PostContent, signal: AbortSignal) =>
    new Promise<{ status: number; retryAfter: string | undefined }>((resolve, reject) => {
      const isSecure = url.protocol === 'https:'
      const request = (isSecure ? https : http).request(url, {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        agent: agents[isSecure ? 'https:' : 'http:'],
        lookup: checkedLookup(url, reach),
        signal,
      })
      let isAnswered = false
      const fail = (error: NodeJS.ErrnoException) => {
        if (isAnswered) return
        isAnswered = true
        // The receiver closed an idle connection just as it was used: nobody has read the request.
        const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
        if (isStale && !signal.aborted) send(url, { headers, body }, signal).then(resolve, reject)
        else reject(error)
      }
      request.once('response', (response) => {
        isAnswered = true
        const { statusCode = 0 } = response
        let bytes = 0
        response.on('data', (part: Buffer) => {
          bytes += part.length
          if (bytes > maxBytes) response.destroy()
        })
        // The status has come: whatever happens to the rest changes nothing.
        response.on('error', () => {})
        response.once('close', () =>
          resolve({ status: statusCode, retryAfter: response.headers['retry-after'] }),
        )
      })
      request.on('error', fail)
      // An answer that is none, such as a switch of protocols.
      request.once('close', () => fail(new Error('closed')))
      request.end(body)
    })

  return async (url, content, signal) => {
    const begun = performance.now()
    const deadline = AbortSignal.timeout(deadlineMs)
    const none = { status: null, retryAfter: undefined, isAborted: false }
    const took = () => performance.now() - begun
    if (!isReachableLiteral(url, reach)) {
      return { ...none, error: 'Its address is not public.', tookMs: took() }
    }
    try {
      const answer = await send(url, content, AbortSignal.any([signal, deadline]))
      return { ...answer, error: null, isAborted: false, tookMs: took() }
    } catch (error) {
      if (signal.aborted) return { ...none, error: null, isAborted: true, tookMs: took() }
      return {
        ...none,
        error: deadline.aborted ? `No answer within ${deadlineMs / 1_000} s.` : told(error),
        tookMs: took(),
      }
    }
  }
}

/** Why there is no answer; of errors of others no more than their code. */
function told(error: unknown): string {
  if (error instanceof NotReachable) return error.message
  const code = (error as NodeJS.ErrnoException).code
  return code && /^[A-Z0-9_]{3,60}$/.test(code) ? `Could not be reached (${code}).` : 'Could not be reached.'
}
