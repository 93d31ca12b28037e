import type pg from 'pg'
import { closeNow } from './close-now.ts'
import type { Sql } from './sql.ts'
import type { StatementNames } from './statement-names.ts'

/** A connection for a single caller. It runs statements one after another, and receives notifications. */
export interface DedicatedConnection {
  /** Runs a statement. If it fails or times out, the connection is closed, and the statement may have been executed. */
  rows<Row>(statement: Sql): Promise<Row[]>
  /** Settles when the connection has ended, for any reason. */
  readonly ended: Promise<void>
  close(): void
}

interface Options {
  readonly channel: string
  readonly received: (payload: string) => void
  readonly names: StatementNames
}

/** Connects, and begins to receive the notifications of a channel. */
export async function openDedicatedConnection(
  client: pg.Client,
  { channel, received, names }: Options,
): Promise<DedicatedConnection> {
  const ended = new Promise<void>((resolve) => {
    client.once('end', () => resolve())
    client.once('error', () => resolve())
  })
  // Listens for all later errors, because an error without a listener would end the process.
  client.on('error', () => {})
  client.on('notification', ({ payload = '' }) => received(payload))
  const close = () => closeNow(client)
  let last: Promise<unknown> = Promise.resolve()
  try {
    await client.connect()
    await client.query(`listen ${client.escapeIdentifier(channel)}`)
  } catch (error) {
    close()
    throw error
  }
  const run = async <Row>(statement: Sql): Promise<Row[]> => {
    try {
      return (await client.query(names.toQuery(statement))).rows as Row[]
    } catch (error) {
      names.areLost(error)
      close()
      throw error
    }
  }
  return {
    rows: <Row>(statement: Sql) => {
      const rows = last.then(
        () => run<Row>(statement),
        () => run<Row>(statement),
      )
      last = rows
      return rows
    },
    ended,
    close,
  }
}
