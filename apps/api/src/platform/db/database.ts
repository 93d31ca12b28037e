import type { DedicatedConnection } from './dedicated-connection.ts'
import type { Sql } from './sql.ts'

/** Runs statements: the database itself, or one of its transactions. */
export interface Queryable {
  /** Runs a statement, and returns all its rows. */
  query<Row>(statement: Sql): Promise<Row[]>
  /** Runs a statement, and returns its first row, or undefined. */
  maybeOne<Row>(statement: Sql): Promise<Row | undefined>
  /** Runs a statement, and returns the number of changed rows. */
  execute(statement: Sql): Promise<number>
}

/** An open transaction. A function that takes a `Tx` becomes part of its caller's change. */
export interface Tx extends Queryable {
  readonly kind: 'transaction'
  /** Runs several statements without values. For migrations only. */
  script(text: string): Promise<void>
  /** Calls `run` after the commit, and never after a rollback. `run` must not throw. */
  afterCommit(run: () => void): void
}

/**
 * The state of a database. `read-only`: it responds but accepts no writes, as a standby does. `full`: it responds, but
 * has just refused a write because its disk is full.
 */
export type DatabaseState = 'up' | 'read-only' | 'full' | 'down'

/** The state of a connection pool, for monitoring. */
export interface PoolState {
  readonly max: number
  /** The number of open connections. More are opened when they are needed. */
  readonly total: number
  readonly idle: number
  /** The number of callers that wait for a connection. */
  readonly waiting: number
}

/**
 * The database: PostgreSQL, or the embedded engine in this process. Both use the same SQL. Every method throws
 * `DatabaseUnavailable` if the database does not respond in time. Clients cannot cause any other error.
 */
export interface Database extends Queryable {
  readonly engine: 'postgres' | 'pglite'
  /** The number of batches that may run at the same time, for `batcher`. */
  readonly maxBatchesAtOnce: number
  /**
   * Runs `work` in a transaction, and commits it when `work` returns. Repeats both after a deadlock or a serialization
   * failure, so `work` must tolerate a second call. With `long`, there is no time limit, and requests do not wait for
   * the connection: use it for background work.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: { long?: boolean }): Promise<T>
  /**
   * Runs a statement that reads or changes rows for many callers. It is planned once for batches of any size, and uses
   * connections of its own.
   */
  batched<Row>(statement: Sql): Promise<Row[]>
  /**
   * Reads any number of rows in pages, in order and from one snapshot. Memory use does not grow with the number of
   * rows.
   */
  stream<Row>(statement: Sql, pageSize: number): AsyncGenerator<Row[], void, void>
  /**
   * Updates the statistics of the query planner, table by table. Needed after many rows were added: PostgreSQL notices
   * that late, and the embedded engine never.
   */
  analyze(...tables: readonly string[]): Promise<void>
  /**
   * Opens a connection for a single caller, which also receives the notifications of a channel. Undefined with the
   * embedded engine, which serves only one process.
   */
  readonly dedicate:
    | ((channel: string, received: (payload: string) => void) => Promise<DedicatedConnection>)
    | undefined
  /** Returns the state of the connections that requests use. */
  pool(): PoolState
  /** Runs a trivial statement for the health endpoint, on a connection of its own. Never rejects. */
  ping(): Promise<DatabaseState>
  /** Runs several statements without values. For migrations only. */
  script(text: string): Promise<void>
  close(): Promise<void>
}

/**
 * Thrown if the database does not respond: it is down, restarting, out of connections, or too slow. The client may
 * retry.
 */
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable'
  constructor(cause: unknown, message = 'The database cannot be reached right now.') {
    super(message, { cause })
  }
}

/**
 * Thrown if the database refuses connections until an operator acts, for example because of a wrong password. The
 * message contains the fix.
 */
export class DatabaseRefused extends DatabaseUnavailable {
  override readonly name = 'DatabaseRefused'
}

/** Thrown if the database responds, but accepts no writes at the moment. `advice` tells an operator what to do. */
export class DatabaseTakesNoWrites extends DatabaseUnavailable {
  override readonly name: string = 'DatabaseTakesNoWrites'
  readonly advice: string
  constructor(cause: unknown, message: string, advice: string) {
    super(cause, message)
    this.advice = advice
  }
}

/** Thrown by a standby, such as the old primary after a failover, or if `default_transaction_read_only` is on. */
export class DatabaseReadOnly extends DatabaseTakesNoWrites {
  override readonly name = 'DatabaseReadOnly'
  constructor(cause: unknown) {
    super(cause, 'The database is read-only right now. Nothing can be changed.', readOnlyAdvice)
  }
}

/** Thrown if the disk or the quota of the database is full. */
export class DatabaseFull extends DatabaseTakesNoWrites {
  override readonly name = 'DatabaseFull'
  constructor(cause: unknown) {
    super(cause, 'The disk of the database is full. Nothing can be changed.', fullAdvice)
  }
}

/** Tells an operator what to do about a full disk. */
export const fullAdvice =
  'The disk of the database is full. Writes are rejected, and reads continue. Enlarge its volume or free space on it, but never delete files of the data folder by hand. No restart is needed.'

/** Tells an operator what to do about a read-only database. */
export const readOnlyAdvice =
  'The database is read-only: it is a standby, or default_transaction_read_only is on. Point DATABASE_URL at the primary, promote this server, or turn that setting off.'

/** The SQLSTATE for a full disk. */
export const diskFull = '53100'

/** Returns the SQLSTATE of an error, or undefined if it does not come from a database engine. */
export const sqlState = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined

/** Returns true if the error violates the named constraint or unique index. */
export const violates = (error: unknown, constraint: string): boolean =>
  (error as { constraint?: string }).constraint === constraint

/**
 * Returns true for a deadlock, a serialization failure, or a lost prepared statement. The transaction had no effect, so
 * it can be repeated.
 */
export const isRetryable = (error: unknown): boolean =>
  ['40001', '40P01', '26000', '42P05'].includes(sqlState(error) ?? '')
