import type { IncomingMessage } from 'node:http'
import { ApiError } from './api-error.ts'

/** Reads request bodies, and limits how much memory all unfinished bodies take together. */
export interface BodyReader {
  /**
   * Returns the whole body of a request.
   *
   * @throws PAYLOAD_TOO_LARGE above `limit`, SERVICE_OVERLOADED. Both end the connection, because the client may still
   * be sending.
   */
  read(request: IncomingMessage, limit: number): Promise<Buffer>
  /** Reads a body like `read`, but without a promise. Calls exactly one of the callbacks, once. */
  receive(
    request: IncomingMessage,
    limit: number,
    received: (body: Buffer) => void,
    refused: (error: ApiError) => void,
  ): void
  /** Stores the result of `receive`, so that the next `read` or `receive` of this request returns it. */
  putBack(request: IncomingMessage, outcome: Buffer | ApiError): void
}

interface Bounds {
  /** The maximum number of bodies that arrive at the same time. */
  readonly maxBodies: number
  /** The maximum number of bytes of unfinished bodies in memory. */
  readonly maxBytes: number
}

/** A body that is still arriving. */
interface Receiving {
  end(error: ApiError): void
}

const none = Buffer.alloc(0)
const closes = { connection: 'close' }
/** Returns the detail for a body that is too large. `limit` is in bytes. */
export const tooLongFor = (limit: number) =>
  `The request body is larger than the ${limit} bytes that this endpoint accepts.`
const tooLarge = (limit: number) =>
  new ApiError('PAYLOAD_TOO_LARGE', { detail: tooLongFor(limit), headers: closes })
const overtaken = () =>
  new ApiError('SERVICE_OVERLOADED', {
    detail: 'Too many request bodies arrived at the same time, and this one took the longest.',
    headers: { ...closes, 'retry-after': '2' },
  })

/**
 * Creates a body reader. Above the limits, it rejects the bodies that have been arriving the longest. So slow clients,
 * however many, cannot keep fast ones from being served.
 */
export function createBodyReader(
  { maxBodies, maxBytes }: Bounds = { maxBodies: 1_000, maxBytes: 64 * 1024 * 1024 },
): BodyReader {
  const receiving = new Set<Receiving>()
  let held = 0
  const makeRoom = () => {
    for (const oldest of receiving) {
      if (receiving.size <= maxBodies && held <= maxBytes) return
      oldest.end(overtaken())
    }
  }

  const putBack = new WeakMap<IncomingMessage, Buffer | ApiError>()

  const receive: BodyReader['receive'] = (request, limit, received, refused) => {
    const outcome = putBack.get(request)
    if (outcome) return outcome instanceof ApiError ? refused(outcome) : received(outcome)
    const { 'content-length': announced, 'transfer-encoding': encoding } = request.headers
    if (encoding === undefined && (announced === undefined || announced === '0')) return received(none)
    if (Number(announced) > limit) return refused(tooLarge(limit))
    const chunks: Buffer[] = []
    let length = 0
    let isOver = false
    const settle = () => {
      isOver = true
      receiving.delete(body)
      held -= length
    }
    const body: Receiving = {
      end(error) {
        if (isOver) return
        settle()
        chunks.length = 0
        refused(error)
      },
    }
    receiving.add(body)
    if (receiving.size > maxBodies) makeRoom()
    request.on('data', (chunk: Buffer) => {
      if (isOver) return
      length += chunk.length
      held += chunk.length
      if (length > limit) return body.end(tooLarge(limit))
      chunks.push(chunk)
      if (held > maxBytes) makeRoom()
    })
    request.on('end', () => {
      if (isOver) return
      settle()
      received(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length))
    })
    // The client has disconnected, so it gets no response. The request log has a line for the request.
    request.on('error', (cause) => body.end(new ApiError('BAD_REQUEST', { cause })))
  }
  return {
    receive,
    putBack: (request, outcome) => void putBack.set(request, outcome),
    read: (request, limit) => new Promise((resolve, reject) => receive(request, limit, resolve, reject)),
  }
}
