import type { IncomingMessage } from 'node:http'
import { ApiError } from './api-error.ts'

/** No request needs more; some endpoints take less. */
export const mostBodyBytes = 1024 * 1024

/**
 * A request's whole body.
 * @throws PAYLOAD_TOO_LARGE, and ends the connection: the rest is still on its way.
 */
export const readBytes = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const tooLarge = () => new ApiError('PAYLOAD_TOO_LARGE', { headers: { connection: 'close' } })
    if (Number(request.headers['content-length']) > mostBodyBytes) return reject(tooLarge())
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= mostBodyBytes) chunks.push(chunk)
      else reject(tooLarge())
    })
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    request.on('error', reject)
  })
