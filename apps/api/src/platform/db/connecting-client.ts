import pg from 'pg'

/** The longest wait for the TCP connection. If a packet gets lost, a new attempt is faster than the retransmission. */
const networkMs = 1_500
/** The longest wait until the server accepts the connection. On an overloaded host, that takes seconds. */
export const connectTimeoutMs = 15_000

/** Creates a client class whose connection attempts can be aborted together. */
export function createConnectingClient() {
  const connecting = new Set<pg.Client>()

  class ConnectingClient extends pg.Client {
    /** Listens for errors from the beginning. An error without a listener would end the process. */
    constructor(...options: ConstructorParameters<typeof pg.Client>) {
      super(...options)
      this.on('error', () => {})
    }

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
    /** Aborts all connection attempts in progress. */
    close() {
      // Destroys the stream with an error: a client that is ended while it connects never reports its failure.
      for (const client of connecting) streamOf(client).destroy(new Error('The database is closed.'))
    },
  }
}

/** Returns the stream of a client. It exists even before the client connects. */
const streamOf = (client: pg.Client) =>
  (client as unknown as { connection: { stream: NetworkStream } }).connection.stream

interface NetworkStream {
  readonly connecting: boolean
  destroy(error: Error): void
}
