import type { LookupAddress } from 'node:dns'
import * as http from 'node:http'
import * as https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isLoopbackAddress, isLoopbackHost } from '#platform/loopback'
import { isPublicAddress } from './public-address.ts'
import type { ResolveHost } from './resolve-host.ts'

/** The longest wait for a response: name, connection, TLS and head together. */
const deadlineMs = 10_000
/** Longer responses are not read to their end: only the status counts. */
const maxBytes = 16 * 1024
/** Shorter than servers keep a connection, so that it is rarely closed just as it is reused. */
const idleMs = 3_000

/** The result of an attempt. `status` is null without a response. */
export interface Answered {
  readonly status: number | null
  readonly error: string | null
  readonly retryAfter: string | undefined
  readonly tookMs: number
  /** True if this service closed the connection. */
  readonly isAborted: boolean
}

export interface PostContent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Posts to an address that a project chose. Bounded in time and size; follows no redirect; never throws. */
export type Post = (url: URL, content: PostContent, signal: AbortSignal) => Promise<Answered>

export interface Reach {
  /** Allows private addresses, too: receivers inside the operator's own network. */
  readonly allowPrivate: boolean
  /** Allows hosts that are loopback by their literal text. */
  readonly allowLoopbackHosts: boolean
  readonly resolve: ResolveHost
  /** Returns true if a resolved address may be connected to. */
  readonly isPublic?: (address: string) => boolean
}

/** Thrown if the host may not be connected to. */
class NotReachable extends Error {}

/**
 * Returns the rule for the addresses of a host. A name is never trusted to mean this machine; only its literal text
 * is.
 */
function addressRule(
  hostname: string,
  { allowPrivate, allowLoopbackHosts, isPublic = isPublicAddress }: Reach,
) {
  if (allowPrivate) return () => true
  return allowLoopbackHosts && isLoopbackHost(hostname) ? isLoopbackAddress : isPublic
}

/** Returns the host of a URL without the brackets of IPv6. */
const bareHost = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')

/** Returns true if a host written as an address may be connected to; a name is checked when it is resolved. */
export function isReachableLiteral(url: URL, reach: Omit<Reach, 'resolve'>): boolean {
  const host = bareHost(url)
  return isIP(host) === 0 || addressRule(url.hostname, { ...reach, resolve: async () => [] })(host)
}

/**
 * Resolves a host for the socket, which connects to no other address: it connects to exactly the checked addresses,
 * even if the name changes a moment later.
 */
const checkedLookup =
  (url: URL, reach: Reach): LookupFunction =>
  (hostname, options, callback) => {
    const isAllowed = addressRule(url.hostname, reach)
    const connect = (found: readonly LookupAddress[]) => {
      const allowed = found.filter(({ address }) => isAllowed(address))
      const [first] = allowed
      if (!first) {
        const why =
          found.length > 0 ? 'The host name has no public address.' : 'The host name could not be resolved.'
        callback(new NotReachable(why), '')
      } else if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    }
    reach.resolve(hostname).then(connect, (error: Error) => callback(error, ''))
  }

/** Creates a post function that keeps connections for a moment, so that many events in a row need one. */
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
        // The receiver closed an idle connection just as it was reused: the request was not read.
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
        // The status has arrived: failures in the rest change nothing.
        response.on('error', () => {})
        response.once('close', () =>
          resolve({ status: statusCode, retryAfter: response.headers['retry-after'] }),
        )
      })
      request.on('error', fail)
      // The connection closed without a response, such as after a switch of protocols.
      request.once('close', () => fail(new Error('closed')))
      request.end(body)
    })

  return async (url, content, signal) => {
    const begun = performance.now()
    const deadline = AbortSignal.timeout(deadlineMs)
    const none = { status: null, retryAfter: undefined, isAborted: false }
    const took = () => performance.now() - begun
    if (!isReachableLiteral(url, reach)) {
      return { ...none, error: 'The address is not public.', tookMs: took() }
    }
    try {
      const answer = await send(url, content, AbortSignal.any([signal, deadline]))
      return { ...answer, error: null, isAborted: false, tookMs: took() }
    } catch (error) {
      if (signal.aborted) return { ...none, error: null, isAborted: true, tookMs: took() }
      return {
        ...none,
        error: deadline.aborted ? `No response within ${deadlineMs / 1_000} s.` : errorText(error),
        tookMs: took(),
      }
    }
  }
}

/** Returns the reason for a missing response; for errors of libraries no more than their code. */
function errorText(error: unknown): string {
  if (error instanceof NotReachable) return error.message
  const code = (error as NodeJS.ErrnoException).code
  return code && /^[A-Z0-9_]{3,60}$/.test(code)
    ? `The receiver could not be reached (${code}).`
    : 'The receiver could not be reached.'
}
