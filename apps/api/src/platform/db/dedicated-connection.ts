import pg from 'pg'
import type { Sql } from './sql.ts'

/** One connection for as long as it lasts. Statements run one after the other, and what others notify is received. */
export interface DedicatedConnection {
  /** Rows as arrays. When a statement fails or is late, nobody knows what became of it, and the connection ends. */
  rows(statement: Sql): Promise<unknown[][]>
  /** Settles when the connection has ended, for whatever reason. */
  readonly ended: Promise<void>
  close(): void
}

interface Options {
  readonly channel: string
  readonly received: (payload: string) => void
}

/** Opens a connection that listens to a channel. */
export async function openDedicatedConnection(
  config: pg.ClientConfig,
  { channel, received }: Options,
): Promise<DedicatedConnection> {
  const client = new pg.Client(config)
  const ended = new Promise<void>((resolve) => {
    client.once('end', () => resolve())
    client.once('error', () => resolve())
  })
  // Also the second and every later error: one that nobody listens to ends the process.
  client.on('error', () => {})
  client.on('notification', ({ payload = '' }) => received(payload))
  const close = () => {
    // A statement that is under way is not waited for.
    client.end().catch(() => {})
    stop(client)
  }
  let last: Promise<unknown> = Promise.resolve()
  const names = new Map<string, string>()
  const named = ({ text, values }: Sql) => {
    const name = names.get(text) ?? `d${names.size}`
    names.set(text, name)
    return { name, text, values: [...values], rowMode: 'array' as const }
  }
  try {
    await client.connect()
    await client.query(`listen ${client.escapeIdentifier(channel)}`)
  } catch (error) {
    close()
    throw error
  }
  const run = async (statement: Sql) => {
    try {
      return (await client.query<unknown[]>(named(statement))).rows
    } catch (error) {
      close()
      throw error
    }
  }
  return {
    rows: (statement) => {
      const rows = last.then(
        () => run(statement),
        () => run(statement),
      )
      last = rows
      return rows
    },
    ended,
    close,
  }
}

/** The socket below: `end` alone would wait for a server that does not answer. */
function stop(client: pg.Client) {
  const { connection } = client as unknown as { connection?: { stream?: { destroy(): void } } }
  connection?.stream?.destroy()
}
