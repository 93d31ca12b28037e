import * as http from 'node:http'
import * as https from 'node:https'
import { checkedLookup, errorText, isReachableLiteral, type Reach } from './reach.ts'

/** The longest wait for a response: name, connection, TLS and head together. */
const deadlineMs = 10_000
/** The maximum number of bytes that are read of a response. Only the status matters. */
const maxBytes = 16 * 1024
/**
 * The idle timeout of a connection. It is shorter than that of most servers, which would close the connection during
 * reuse.
 */
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

/**
 * Posts to an address that a project chose. The time and the size are limited, and redirects are not followed. Never
 * throws.
 */
export type Post = (url: URL, content: PostContent, signal: AbortSignal) => Promise<Answered>

/**
 * Creates a post function that keeps connections open for a short time, so that consecutive events share one
 * connection.
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
        // The receiver closed an idle connection just when it was reused, and did not read the request.
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
        // The status has arrived, so later failures have no effect.
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
