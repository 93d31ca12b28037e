import pg from 'pg'

/**
 * Longest wait for the network connection. A lost packet is sent again seconds later, so a new attempt is sooner there
 * than the old one.
 */
const networkMs = 1_500
/** Longest wait for the server to accept a connection, in ms. A server on a starved host takes seconds. */
export const connectTimeoutMs = 15_000

/** Makes clients whose connection attempts can be ended together. */
export function createConnectingClient() {
  const connecting = new Set<pg.Client>()

  class ConnectingClient extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error | null, client?: pg.Client) => void): void
    override connect(
      callback?: (error: Error | null, client?: pg.Client) => void,
    ): Promise<pg.Client> | undefined {
      const connected = this.#connect()
      if (!callback) return connected
      connected.then((client) => callback(null, client), callback)
      return undefined
    }

    async #connect(): Promise<pg.Client> {
      const stream = streamOf(this)
      const timer = setTimeout(() => {
        if (stream.connecting) stream.destroy(new Error(`no network connection within ${networkMs} ms`))
      }, networkMs)
      connecting.add(this)
      try {
        return await super.connect()
      } finally {
        connecting.delete(this)
        clearTimeout(timer)
      }
    }
  }

  return {
    Client: ConnectingClient as typeof pg.Client,
    /** Ends the attempts that are under way. */
    close() {
      // By an error: a client that is ended while it connects tells nobody that it has failed.
      for (const client of connecting) streamOf(client).destroy(new Error('The database is closed.'))
    },
  }
}

/** The stream is there before the client connects. */
const streamOf = (client: pg.Client) =>
  (client as unknown as { connection: { stream: NetworkStream } }).connection.stream

interface NetworkStream {
  readonly connecting: boolean
  destroy(error: Error): void
}
