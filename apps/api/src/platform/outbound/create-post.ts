import * as http from 'node:http'
import * as https from 'node:https'
import { checkedLookup, errorText, isReachableLiteral, type Reach } from './reach.ts'

/** The longest time for a response, including name resolution, connection, and TLS. */
const deadlineMs = 10_000
/** The maximum number of bytes that are read of a response. Only its status matters. */
const maxBytes = 16 * 1024
/**
 * The time for which an idle connection stays open. It is shorter than in most servers, which would otherwise close the
 * connection at the moment of its reuse.
 */
const idleMs = 3_000

/** The result of a request. If there was no response, `status` is null, and `error` states the reason. */
export interface Answered {
  readonly status: number | null
  readonly error: string | null
  readonly retryAfter: string | undefined
  readonly tookMs: number
  /** True if this service aborted the request. */
  readonly isAborted: boolean
}

/** The headers and the body of a POST request. */
export interface PostContent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Sends a POST request to an address that a project has chosen. Its duration and the size of the response are limited,
 * and redirects are not followed. Never throws.
 */
export type Post = (url: URL, content: PostContent, signal: AbortSignal) => Promise<Answered>

/**
 * Creates a function for POST requests. It leaves connections open for a short time, so that events in a row share one.
 */
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
        // The receiver closed the idle connection just when it was reused, so it has not read the request.
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
        // The status has already arrived, so later failures do not matter.
        response.on('error', () => {})
        response.once('close', () =>
          resolve({ status: statusCode, retryAfter: response.headers['retry-after'] }),
        )
      })
      request.on('error', fail)
      // The connection was closed without a response, for example after it switched protocols.
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
      const response = await send(url, content, AbortSignal.any([signal, deadline]))
      return { ...response, error: null, isAborted: false, tookMs: took() }
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
