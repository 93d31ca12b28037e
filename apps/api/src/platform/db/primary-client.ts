import type pg from 'pg'
import { singleFlight, withTimeout } from '#platform/async'
import type { Log } from '#platform/log'
import { closeNow } from './close-now.ts'
import { connectionReason, connectionRefusal } from './connection-refusals.ts'

/**
 * The longest wait for one host. After that, the next host is used, so that a host that hangs does not block the
 * others.
 */
const answerMs = 700

interface Place {
  readonly host: string
  readonly port: number
}

type ConnectCallback = (error: Error | null, client?: pg.Client) => void

/**
 * Creates a client class for a DATABASE_URL with several hosts. It connects to the host that accepts writes. To find
 * it, it contacts all hosts at once, and uses the first of the list that accepts writes. It searches again if a
 * connection to that host fails, is lost, or turns out to be read-only. It never reads from a standby, which may not
 * have received a sign-out yet.
 */
export function createPrimaryClient(
  urls: readonly string[],
  session: pg.ClientConfig,
  log: Pick<Log, 'info'>,
  Client: typeof pg.Client,
): typeof pg.Client {
  let primary: Place | undefined
  let last: Place | undefined

  const pending = new Map<string, Promise<Place>>()
  /**
   * Contacts a host, unless an attempt is in progress. If a slow host responds too late for its caller, the next call
   * uses that response.
   */
  function askOnce(url: string): Promise<Place> {
    const running = pending.get(url)
    if (running) return running
    const request = ask(new Client({ ...session, connectionString: url }))
    pending.set(url, request)
    const since = performance.now()
    request
      .then(
        (place) => {
          if (performance.now() - since > answerMs) primary ??= place
        },
        () => {},
      )
      .finally(() => pending.delete(url))
    return request
  }

  const find = singleFlight(async (): Promise<Place> => {
    if (primary) return primary
    primary = await firstOf(urls.map((url) => withTimeout(askOnce(url), answerMs)))
    if (last && (last.host !== primary.host || last.port !== primary.port))
      log.info({ host: primary.host, port: primary.port }, 'database primary changed')
    last = primary
    return primary
  })

  return class PrimaryClient extends Client {
    override connect(): Promise<pg.Client>
    override connect(callback: ConnectCallback): void
    override connect(callback?: ConnectCallback): Promise<pg.Client> | undefined {
      const connected = this.#toPrimary()
      if (!callback) return connected
      connected.then((client) => callback(null, client), callback)
      return undefined
    }

    async #toPrimary(): Promise<pg.Client> {
      const place = await find()
      const clearPlace = () => {
        if (primary === place) primary = undefined
      }
      this.host = place.host
      this.port = place.port
      this.once('error', clearPlace)
      try {
        await super.connect()
        await expectWritable(this)
      } catch (error) {
        clearPlace()
        closeNow(this)
        throw error
      }
      return this
    }
  }
}

async function firstOf(attempts: readonly Promise<Place>[]): Promise<Place> {
  // Failures of the hosts after the first usable one do not matter.
  for (const one of attempts) one.catch(() => {})
  const failures: unknown[] = []
  for (const one of attempts) {
    try {
      return await one
    } catch (error) {
      failures.push(error)
    }
  }
  const refused = failures.find(connectionRefusal)
  if (refused) throw refused
  const reasons = failures.map((error, i) => `host ${i + 1}: ${connectionReason(error)}`)
  throw new Error(`none of ${attempts.length} hosts accepts writes; ${reasons.join('; ')}`)
}

async function ask(client: pg.Client): Promise<Place> {
  client.on('error', () => {})
  try {
    await client.connect()
    await expectWritable(client)
    return { host: client.host, port: client.port }
  } finally {
    closeNow(client)
  }
}

/** Throws if the server accepts no writes. On a standby, `transaction_read_only` is always on. */
async function expectWritable(client: pg.Client) {
  const { rows } = await client.query(`select current_setting('transaction_read_only') as "readOnly"`)
  if (rows[0].readOnly !== 'off') throw new Error('the server accepts no writes')
}
