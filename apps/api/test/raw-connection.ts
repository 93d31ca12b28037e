import { once } from 'node:events'
import { connect } from 'node:net'

/** Opens a connection to send requests as text, one after another. `from` is the address of the client. */
export async function openConnection(url: string, from = '127.0.0.1') {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, localAddress: from })
  await once(socket, 'connect')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  return {
    socket,
    /** Sends a text. Resolves with the received text when it contains the given number of responses. */
    async ask(sent: string, answers = 1): Promise<string> {
      text = ''
      socket.write(sent, 'latin1')
      const count = () => {
        let whole = 0
        let rest = text
        for (;;) {
          const [, head = '', body = ''] = /^(.*?\r\n\r\n)(.*)$/s.exec(rest) ?? []
          const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
          if (Number.isNaN(length) || Buffer.byteLength(body) < length) return whole
          whole += 1
          rest = Buffer.from(body).subarray(length).toString()
        }
      }
      await new Promise<void>((resolve, reject) => {
        const check = () => {
          if (count() < answers) return
          clearTimeout(timer)
          socket.off('data', check)
          resolve()
        }
        const timer = setTimeout(
          () => reject(new Error(`${count()} of ${answers} responses: ${text}`)),
          5_000,
        )
        socket.on('data', check)
      })
      return text
    },
  }
}
