import pg from 'pg'
import Cursor from 'pg-cursor'
import { backOffMs, LateError, withTimeout } from '#platform/async'
import type { Log } from '#platform/log'
import { createAvailability } from './availability.ts'
import { connectTimeoutMs, createConnectingClient } from './connecting-client.ts'
import {
  type Database,
  DatabaseFull,
  DatabaseUnavailable,
  isRetryable,
  type Queryable,
  type Tx,
} from './database.ts'
import { hostUrls } from './database-url.ts'
import { openDedicatedConnection } from './dedicated-connection.ts'
import { createFullDisk } from './full-disk.ts'
import { translate, wasCut } from './postgres-errors.ts'
import { createPrimaryClient } from './primary-client.ts'
import type { Sql } from './sql.ts'
import { createStatementNames, type StatementNames } from './statement-names.ts'
import { mayWrite } from './watched-writes.ts'

/** The longest duration of a statement. An outage must be reported within 2 s. */
const statementTimeoutMs = 1_800
/** The longest time that a caller waits for a connection. */
const checkOutMs = 1_500
const int8 = 20

const types = {
  // Counts and versions fit a double. Discord IDs would not, but they are text columns.
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

/**
 * The settings of connections for batches, which find rows by key. One plan serves batches of any size. It must use
 * indexes. The statistics of a young table suggest scans, which make a batch a thousand times slower.
 */
const batchSession =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off'

export interface PostgresOptions {
  readonly maxConnections?: number
  /** Receives each outage and its end, and at the debug level each idle connection that is lost. */
  readonly log?: Pick<Log, 'debug' | 'info' | 'warn'>
}

const silent = { debug() {}, info() {}, warn() {} }

/**
 * The settings of connections for requests. `work_mem` is for searches in member lists; PostgreSQL takes it only when
 * needed. JIT compilation is off, because the statements are too short to profit from it.
 */
const requestSession = '-c work_mem=16MB -c jit=off'

/** Opens PostgreSQL 15 or newer, with five pools: no kind of work waits for connections that another kind uses. */
export function openPostgres(
  url: string,
  { log = silent, maxConnections = 9 }: PostgresOptions = {},
): Database {
  const urls = hostUrls(url)
  const session: pg.ClientConfig = {
    connectionString: urls[0],
    application_name: 'rolecall',
    types,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 10_000,
    lock_timeout: statementTimeoutMs,
    keepAlive: true,
    options: requestSession,
  }
  // All connections are created by this class, so that `close` can abort those that are still being opened.
  const clients = createConnectingClient()
  const Client = urls.length > 1 ? createPrimaryClient(urls, session, log, clients.Client) : clients.Client
  const open = (max: number, extra: pg.PoolConfig = {}) => {
    const pool = new pg.Pool({ ...session, Client, max, ...extra })
    pool.on('error', (error) => log.debug({ err: error }, 'connection pool lost a connection'))
    pool.on('connect', (client) => client.on('error', () => {}))
    return pool
  }
  const names = createStatementNames(log)
  const pool = open(maxConnections)
  // Two connections for reads are best, by measurement. With more, batches are smaller, and each row costs more.
  const readPool = open(2, { options: batchSession })
  // Changes wait for the disk, so they have connections of their own: one for submissions, and one for sessions.
  const changePool = open(2, { options: batchSession })
  const requestPools = [pool, readPool, changePool]
  // For exports and scripts, which have no time limit and must not use connections that requests wait for.
  const longPool = open(4, {
    query_timeout: 0,
    lock_timeout: 60_000,
    idle_in_transaction_session_timeout: 60_000,
  })
  // For health checks, because under load all other connections may be in use. The connection stays open, because
  // opening one can take seconds, even while a statement takes milliseconds.
  const healthPool = open(1, { idleTimeoutMillis: 0 })
  const availability = createAvailability(probe, log)
  /** Tests the database. During an outage, also opens the connections that the first requests afterwards will need. */
  async function probe() {
    const empty = availability.isDown() ? requestPools.filter(({ idleCount }) => idleCount === 0) : []
    const [state] = await Promise.all([askState(healthPool), ...empty.map(openSome)])
    return state
  }
  const disk = createFullDisk(log)
  const refuseDuringOutage = () => {
    if (availability.isDown()) throw new DatabaseUnavailable(new Error(availability.reason()))
  }
  const guarded: Guard = async (run) => {
    refuseDuringOutage()
    try {
      const result = await run()
      availability.answered()
      return result
    } catch (error) {
      const translated = translate(error)
      if (translated instanceof DatabaseFull) disk.met()
      else if (translated instanceof DatabaseUnavailable) availability.suspect(translated.cause)
      throw translated
    }
  }

  return {
    engine: 'postgres',
    maxBatchesAtOnce: 2,
    ...queryable(pool, names, guarded),
    transaction: (work, { long = false } = {}) =>
      retried(() => transaction({ pool: long ? longPool : pool, names, guarded }, work)),
    batched: (statement) =>
      guarded(async () => (await send(mayWrite(statement) ? changePool : readPool, names, statement)).rows),
    dedicate: async (channel, received) => {
      refuseDuringOutage()
      const client = new Client({ ...session, options: batchSession })
      return openDedicatedConnection(client, { channel, received, names })
    },
    stream: (statement, pageSize) => stream(longPool, statement, pageSize, guarded),
    analyze: async (...tables) => {
      for (const table of tables) await guarded(() => query(longPool, `analyze ${table}`))
    },
    pool: () => ({
      max: pool.options.max,
      total: pool.totalCount,
      idle: pool.idleCount,
      // Leaves out callers that get a connection in a moment, which the pool counts as waiting, too.
      waiting: Math.max(0, pool.waitingCount - pool.idleCount - (pool.options.max - pool.totalCount)),
    }),
    ping: async () => {
      const found = await availability.check()
      return found === 'up' && disk.isFull() ? 'full' : found
    },
    script: (text) => guarded(async () => void (await query(longPool, text))),
    close: async () => {
      availability.close()
      disk.close()
      const ended = [...requestPools, longPool, healthPool].map((one) => one.end())
      clients.close()
      await Promise.all(ended)
    },
  }
}

/**
 * Gets a connection from a pool, and waits at most `checkOutMs`. The attempt to connect continues after that, and the
 * next caller gets its connection. Otherwise, no caller would ever get one while connecting takes longer than this.
 */
async function checkOut(pool: pg.Pool): Promise<pg.PoolClient> {
  const found = pool.connect()
  try {
    return await withTimeout(found, checkOutMs)
  } catch (error) {
    if (error instanceof LateError) {
      found.then(
        (client) => client.release(),
        () => {},
      )
    }
    throw error
  }
}

/** Opens up to three connections of a pool for the first requests after an outage. */
async function openSome(pool: pg.Pool): Promise<void> {
  const opening = Array.from({ length: Math.min(3, pool.options.max) }, () => pool.connect())
  const opened = await Promise.allSettled(opening)
  for (const one of opened) if (one.status === 'fulfilled') one.value.release()
  for (const one of opened) if (one.status === 'rejected') throw one.reason
}

/** Runs one statement on a connection from the pool. The connection is discarded if the statement fails. */
async function query(pool: pg.Pool, statement: string | pg.QueryConfig) {
  const client = await checkOut(pool)
  try {
    const result = await client.query(statement)
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

async function askState(pool: pg.Pool): Promise<'up' | 'read-only'> {
  const client = await pool.connect()
  let isUp = false
  try {
    const { rows } = await client.query(`select current_setting('transaction_read_only') = 'off' as "isUp"`)
    isUp = rows[0].isUp
    return isUp ? 'up' : 'read-only'
  } finally {
    // After a failover, the address may belong to another server. Only a new connection reaches that server.
    client.release(!isUp)
  }
}

/** Sends a statement. With a pool, repeats it if it had no effect. A transaction can only be repeated as a whole. */
async function send(client: pg.Pool | pg.PoolClient, names: StatementNames, statement: Sql) {
  for (let tries = 0; ; tries++) {
    try {
      const sent = names.toQuery(statement)
      return await (client instanceof pg.Pool ? query(client, sent) : client.query(sent))
    } catch (error) {
      const didNothing = names.areLost(error) || wasCut(error)
      // If one connection was cut, all idle connections of the pool usually were.
      if (!didNothing || !(client instanceof pg.Pool) || tries === client.options.max) throw error
    }
  }
}

type Guard = <T>(run: () => Promise<T>) => Promise<T>

function queryable(client: pg.Pool | pg.PoolClient, names: StatementNames, guarded: Guard): Queryable {
  const run = (statement: Sql) => guarded(() => send(client, names, statement))
  return {
    query: async <Row>(statement: Sql) => (await run(statement)).rows as Row[],
    maybeOne: async <Row>(statement: Sql) => (await run(statement)).rows[0] as Row | undefined,
    execute: async (statement) => (await run(statement)).rowCount ?? 0,
  }
}

interface Through {
  readonly pool: pg.Pool
  readonly names: StatementNames
  readonly guarded: Guard
}

async function transaction<T>({ pool, names, guarded }: Through, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await guarded(() => checkOut(pool))
  const afterCommit: (() => void)[] = []
  let broken: Error | undefined
  try {
    await guarded(() => client.query('begin'))
    const result = await work({
      kind: 'transaction',
      ...queryable(client, names, guarded),
      script: (text) => guarded(async () => void (await client.query(text))),
      afterCommit: (run) => void afterCommit.push(run),
    })
    await guarded(() => client.query('commit'))
    for (const run of afterCommit) run()
    return result
  } catch (error) {
    // A full disk fails the statement but leaves the connection usable.
    broken = error instanceof DatabaseUnavailable && !(error instanceof DatabaseFull) ? error : undefined
    if (!broken) {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure
      })
    }
    throw error
  } finally {
    // A connection in an unknown state is discarded, so that the next caller does not get it.
    client.release(broken)
  }
}

async function* stream<Row>(pool: pg.Pool, { text, values }: Sql, pageSize: number, guarded: Guard) {
  const client = await guarded(() => checkOut(pool))
  let finished = false
  try {
    const cursor = client.query(new Cursor<Row>(text, [...values]))
    for (;;) {
      const rows = await guarded(() => cursor.read(pageSize))
      if (rows.length === 0) break
      yield rows
    }
    await cursor.close()
    finished = true
  } finally {
    // If the caller stops reading early, the connection is discarded. That frees the cursor in any state.
    client.release(!finished)
  }
}

/** Repeats a transaction that had no effect, up to three times: after a deadlock, or a lost connection. */
async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      const wasEnded = error instanceof DatabaseUnavailable && wasCut(error.cause)
      if (!isRetryable(error) && !wasEnded) throw error
      if (tries === 3) throw new DatabaseUnavailable(error)
      await new Promise((resolve) => setTimeout(resolve, backOffMs(tries + 1, { firstMs: 20, maxMs: 160 })))
    }
  }
}
