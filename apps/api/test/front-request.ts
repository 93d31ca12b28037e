import { type Agent, type OutgoingHttpHeaders, request } from 'node:http'

/** A request as it is sent, and nothing else. */
export interface FrontRequest {
  readonly method: string
  readonly path: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string
}

/** A response without its date and its request ID, which a page contains too. */
export interface FrontResponse {
  readonly status: number
  readonly headers: object
  readonly body: string
}

/** Sends a request whose length is known, as every client does. */
export const sendPlain = (
  agent: Agent,
  url: string,
  { method, path, headers = {}, body = '' }: FrontRequest,
): Promise<FrontResponse> =>
  new Promise((resolve, reject) => {
    const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
    // The path as it is written: `URL` drops an empty query, which keeps a request from memory.
    const sent = request(url, { agent, method, path, headers: { ...length, ...headers } })
    sent.on('response', (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => {
        const { date: _, 'x-request-id': id, 'content-length': length, ...rest } = response.headers
        const bytes = Buffer.concat(parts)
        const text = bytes.toString().replaceAll(String(id), 'ID')
        // IDs end in a counter, and become longer. The rest of a length must be the same.
        const idBytes = bytes.length - Buffer.byteLength(text)
        const headers = {
          ...rest,
          ...(length !== undefined && { 'content-length': Number(length) - idBytes }),
        }
        resolve({ status: response.statusCode ?? 0, headers, body: text })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
