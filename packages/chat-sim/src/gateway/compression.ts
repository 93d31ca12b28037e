import { createDeflate, deflateSync, constants as zlib } from 'node:zlib'
import type { WebSocket } from 'ws'

export interface Writer {
  write(text: string): void
  end(): void
}

/** Text as it is, or each message a zlib buffer of its own: the choice that IDENTIFY makes. */
export const plainWriter = (socket: WebSocket): Writer => ({
  write: (text) => socket.send(text),
  end: () => {},
})
export const messageWriter = (socket: WebSocket): Writer => ({
  write: (text) => socket.send(deflateSync(text)),
  end: () => {},
})

/** One deflate stream for the whole connection. Each message ends with a flush, whose mark is `00 00 ff ff`. */
export function streamWriter(socket: WebSocket): Writer {
  const deflate = createDeflate({ flush: zlib.Z_SYNC_FLUSH })
  let turn = Promise.resolve()
  let parts: Buffer[] = []
  let isOpen = true
  deflate.on('data', (part: Buffer) => parts.push(part))

  const compress = (text: string) =>
    new Promise<void>((resolve) => {
      if (!isOpen) return resolve()
      deflate.write(text)
      deflate.flush(zlib.Z_SYNC_FLUSH, () => {
        if (isOpen) socket.send(Buffer.concat(parts))
        parts = []
        resolve()
      })
    })

  return {
    write: (text) => {
      turn = turn.then(() => compress(text))
    },
    end: () => {
      isOpen = false
      deflate.destroy()
    },
  }
}
