import { type Agent, type OutgoingHttpHeaders, request } from 'node:http'

/** A request as it is sent. */
export interface FrontRequest {
  readonly method: string
  readonly path: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string
}

/** A response without its date and its request ID. A page contains the request ID, too. */
export interface FrontResponse {
  readonly status: number
  readonly headers: object
  readonly body: string
}

/** Sends a request with a known length, as every client does. */
export const sendPlain = (
  agent: Agent,
  url: string,
  { method, path, headers = {}, body = '' }: FrontRequest,
): Promise<FrontResponse> =>
  new Promise((resolve, reject) => {
    const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
    // Sends the path unchanged, because `URL` drops an empty query. A request with a query is not answered from memory.
    const sent = request(url, { agent, method, path, headers: { ...length, ...headers } })
    sent.on('response', (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => {
        const { date: _, 'x-request-id': id, 'content-length': length, ...rest } = response.headers
        const bytes = Buffer.concat(parts)
        const text = bytes.toString().replaceAll(String(id), 'ID')
        // Subtracts the length of the request ID, which ends in a counter and becomes longer.
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
