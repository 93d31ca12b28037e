import * as http from 'node:http'
import * as https from 'node:https'
import { checkedLookup, errorText, isReachableLiteral, type Reach } from './reach.ts'

/** The longest wait for a whole response. It is short, because a person waits for it. */
const deadlineMs = 5_000
const maxBytes = 16 * 1024

/** A response that was read completely. */
export interface Fetched {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

/** Thrown if there was no complete response. The message is the reason. */
class NotFetched extends Error {}

/**
 * Reads a JSON document at an address that a client has chosen. Its duration and size are limited, and redirects are
 * not followed.
 *
 * @throws NotFetched
 */
export type Get = (url: URL) => Promise<Fetched>

/** Creates a function that reads documents from the hosts that `reach` permits. */
export function createGet(reach: Reach, waitMs = deadlineMs): Get {
  const send = (url: URL, signal: AbortSignal) =>
    new Promise<Fetched>((resolve, reject) => {
      const request = (url.protocol === 'https:' ? https : http).get(url, {
        headers: { accept: 'application/json', 'accept-encoding': 'identity' },
        agent: false,
        lookup: checkedLookup(url, reach),
        signal,
      })
      let isAnswered = false
      request.once('error', reject)
      request.once('response', (response) => {
        isAnswered = true
        readBody(response).then(resolve, reject)
      })
      // The connection was closed without a response, for example after it switched protocols.
      request.once('close', () => isAnswered || reject(new NotFetched('There was no response.')))
    })

  return async (url) => {
    if (!isReachableLiteral(url, reach)) throw new NotFetched('The address is not public.')
    const deadline = AbortSignal.timeout(waitMs)
    try {
      return await send(url, deadline)
    } catch (error) {
      if (error instanceof NotFetched) throw error
      throw new NotFetched(deadline.aborted ? `No response within ${waitMs / 1_000} s.` : errorText(error))
    }
  }
}

async function readBody(response: http.IncomingMessage): Promise<Fetched> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > maxBytes) throw new NotFetched(`The response is longer than ${maxBytes / 1_024} KiB.`)
    parts.push(part)
  }
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }
}
