import { connect, createServer, type Socket } from 'node:net'

/** A TCP relay in front of a service, which simulates a slow, hanging, or broken network. */
export interface Relay {
  readonly url: string
  /**
   * Holds all responses, and keeps the connections open. Responses in the meantime are lost or delivered late.
   */
  freeze(): void
  thaw(): void
  /** Delays all responses. */
  delay(ms: number): void
  /** Delays the first bytes of each new connection, like a server without processor time. */
  delayConnections(ms: number): void
  /** Returns the number of connections since the start. */
  connections(): number
  /** Cuts all connections. Refuses new ones until `mend`. */
  cut(): void
  /** Cuts all connections. Responds with 503 to new ones until `mend`, like a proxy. */
  refuse(): void
  mend(): void
  close(): Promise<void>
}

export async function startRelay(target: string): Promise<Relay> {
  const { port, hostname } = new URL(target)
  const pairs = new Set<readonly [Socket, Socket]>()
  let isFrozen = false
  let isCut = false
  let isRefusing = false
  let delayMs = 0
  let connectionDelayMs = 0
  let connections = 0
  const held: (() => void)[] = []

  const server = createServer((inner) => {
    connections += 1
    if (isCut) {
      inner.destroy()
      return
    }
    if (isRefusing) {
      inner.on('error', () => inner.destroy()).resume()
      inner.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
      return
    }
    const outer = connect(Number(port), hostname)
    const pair = [inner, outer] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      inner.destroy()
      outer.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    const pass = () => inner.on('data', (chunk) => outer.write(chunk))
    if (connectionDelayMs > 0) setTimeout(pass, connectionDelayMs)
    else pass()
    outer.on('data', (chunk) => {
      const deliver = () => {
        if (isFrozen) held.push(deliver)
        else if (!inner.destroyed) inner.write(chunk)
      }
      if (delayMs > 0) setTimeout(deliver, delayMs)
      else deliver()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const cutAll = () => {
    for (const [inner, outer] of pairs) {
      inner.destroy()
      outer.destroy()
    }
  }
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    freeze: () => {
      isFrozen = true
    },
    thaw: () => {
      isFrozen = false
      for (const deliver of held.splice(0)) deliver()
    },
    delay: (ms) => {
      delayMs = ms
    },
    delayConnections: (ms) => {
      connectionDelayMs = ms
    },
    connections: () => connections,
    cut: () => {
      isCut = true
      cutAll()
    },
    refuse: () => {
      isRefusing = true
      cutAll()
    },
    mend: () => {
      isCut = false
      isRefusing = false
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cutAll()
      }),
  }
}
