import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Everything that came, should there be more than one answer. */
  readonly text: string
}

interface RawOptions {
  /** Milliseconds between the parts of a slow client. */
  readonly everyMs?: number
  readonly giveUpAfterMs?: number
}

/**
 * Sends bytes as they are, which no HTTP client would, and reads until the other side closes. Several parts are sent
 * one after another.
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
    // Bytes after the answer meet a closed connection.
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
