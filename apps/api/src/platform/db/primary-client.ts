import type pg from 'pg'
import { singleFlight, withTimeout } from '#platform/async'
import type { Log } from '#platform/log'
import { closeNow } from './close-now.ts'
import { connectionReason, connectionRefusal } from './connection-refusals.ts'

/** The longest wait for one host before the next host is used, so that a hanging host hides no other. */
const answerMs = 700

interface Place {
  readonly host: string
  readonly port: number
}

type Told = (error: Error | null, client?: pg.Client) => void

/**
 * Creates clients that connect to the host that accepts writes, out of several. All hosts are contacted at once, and
 * the first in the order of the address wins. Its place is kept until a connection to it fails, is lost or finds it
 * read-only: then all are contacted again, including the old one. Nothing is read from a standby, which may not have
 * received a sign-out yet.
 */
export function createPrimaryClient(
  urls: readonly string[],
  session: pg.ClientConfig,
  log: Pick<Log, 'info'>,
  Client: typeof pg.Client,
): typeof pg.Client {
  let kept: Place | undefined
  let last: Place | undefined

  const asking = new Map<string, Promise<Place>>()
  /** The next call uses a late answer, so that a server on a slow host is not contacted again and again. */
  function askOnce(url: string): Promise<Place> {
    const under = asking.get(url)
    if (under) return under
    const asked = ask(new Client({ ...session, connectionString: url }))
    asking.set(url, asked)
    const since = performance.now()
    asked
      .then(
        (place) => {
          if (performance.now() - since > answerMs) kept ??= place
        },
        () => {},
      )
      .finally(() => asking.delete(url))
    return asked
  }

  const find = singleFlight(async (): Promise<Place> => {
    if (kept) return kept
    kept = await firstOf(urls.map((url) => withTimeout(askOnce(url), answerMs)))
    if (last && (last.host !== kept.host || last.port !== kept.port))
      log.info({ host: kept.host, port: kept.port }, 'database primary changed')
    last = kept
    return kept
  })

  return class PrimaryClient extends Client {
    override connect(): Promise<pg.Client>
    override connect(callback: Told): void
    override connect(callback?: Told): Promise<pg.Client> | undefined {
      const connected = this.#toPrimary()
      if (!callback) return connected
      connected.then((client) => callback(null, client), callback)
      return undefined
    }

    async #toPrimary(): Promise<pg.Client> {
      const place = await find()
      const clearPlace = () => {
        if (kept === place) kept = undefined
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

async function firstOf(asked: readonly Promise<Place>[]): Promise<Place> {
  // Failures after the first host that accepts writes are ignored.
  for (const one of asked) one.catch(() => {})
  const failures: unknown[] = []
  for (const one of asked) {
    try {
      return await one
    } catch (error) {
      failures.push(error)
    }
  }
  const refused = failures.find(connectionRefusal)
  if (refused) throw refused
  const reasons = failures.map((error, i) => `host ${i + 1}: ${connectionReason(error)}`)
  throw new Error(`none of ${asked.length} hosts accepts writes; ${reasons.join('; ')}`)
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

/** On a standby the setting is on, regardless of its configuration. */
async function expectWritable(client: pg.Client) {
  const { rows } = await client.query(`select current_setting('transaction_read_only') as "readOnly"`)
  if (rows[0].readOnly !== 'off') throw new Error('the server accepts no writes')
}
