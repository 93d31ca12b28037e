import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The whole received text, which may contain several responses. */
  readonly text: string
}

interface RawOptions {
  /** The pause between the parts in milliseconds, for a slow client. */
  readonly everyMs?: number
  readonly giveUpAfterMs?: number
}

/**
 * Sends bytes unchanged, which an HTTP client would not do, and reads until the other side closes the connection. Sends
 * several parts one after another.
 */
export function sendRaw(url: string, sent: string | string[], options: RawOptions = {}): Promise<RawReply> {
  const { everyMs = 0, giveUpAfterMs = 12_000 } = options
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname, async () => {
      for (const part of [sent].flat()) {
        if (socket.destroyed) return
        socket.write(Buffer.from(part, 'latin1'))
        if (everyMs > 0) await sleep(everyMs)
      }
    })
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error('The connection was never closed.'))
    }, giveUpAfterMs)
    socket.on('data', (chunk) => chunks.push(chunk))
    // Ignores errors, because bytes after the response may reach a closed connection.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(parse(Buffer.concat(chunks).toString('utf8')))
    })
  })
}

function parse(text: string): RawReply {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const cut = line.indexOf(':')
      return [line.slice(0, cut).toLowerCase(), line.slice(cut + 1).trim()]
    }),
  )
  return { status: Number(first.split(' ')[1] ?? 0), headers, body: rest.join('\r\n\r\n'), text }
}
