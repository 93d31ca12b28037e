import type { DedicatedConnection } from './dedicated-connection.ts'
import type { Sql } from './sql.ts'

/** A target of statements: the database itself, or a transaction of it. */
export interface Queryable {
  /** Returns all rows. */
  query<Row>(statement: Sql): Promise<Row[]>
  /** Returns the first row, or undefined. */
  maybeOne<Row>(statement: Sql): Promise<Row | undefined>
  /** Returns the number of rows that the statement changed. */
  execute(statement: Sql): Promise<number>
}

/** An open transaction. A function that takes one is a part of the caller's change. */
export interface Tx extends Queryable {
  readonly kind: 'transaction'
  /** Runs several statements without values: migrations only. */
  script(text: string): Promise<void>
  /** Calls `run` after this transaction has committed. It is not called after a rollback, and must not throw. */
  afterCommit(run: () => void): void
}

/**
 * The state of a database. Read-only: it answers, but accepts no writes, such as a standby. Full: it answers, but has
 * just refused a write because its disk is full.
 */
export type DatabaseState = 'up' | 'read-only' | 'full' | 'down'

export interface PoolState {
  readonly max: number
  /** The number of open connections. Others are opened when they are needed. */
  readonly total: number
  readonly idle: number
  /** The number of callers that wait for a connection. */
  readonly waiting: number
}

/**
 * A database with one SQL dialect on two engines. Every method throws `DatabaseUnavailable` if the database does not
 * answer in time. No method throws another error that a client can cause.
 */
export interface Database extends Queryable {
  readonly engine: 'postgres' | 'pglite'
  /** The number of batched reads that run at the same time. */
  readonly maxBatchesAtOnce: number
  /**
   * Runs `work` in a transaction, and commits when it returns. Retries after deadlocks and serialization failures, so
   * `work` may run again. `long` is for background work: without a timeout, and on connections that requests do not
   * use.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: { long?: boolean }): Promise<T>
  /**
   * Runs a statement that looks up or changes rows for many callers. It is planned once for batches of any size, and
   * runs on separate connections.
   */
  batched<Row>(statement: Sql): Promise<Row[]>
  /** Yields the rows in pages, in order, from one snapshot and with constant memory. */
  stream<Row>(statement: Sql, pageSize: number): AsyncGenerator<Row[], void, void>
  /**
   * Updates the planner's statistics of tables, one table at a time. Needed after a large number of new rows, which the
   * server notices late, and the embedded engine never.
   */
  analyze(...tables: readonly string[]): Promise<void>
  /**
   * Opens a connection for this caller only, which listens to a channel. Undefined with the embedded engine, which
   * serves a single process.
   */
  readonly dedicate:
    | ((channel: string, received: (payload: string) => void) => Promise<DedicatedConnection>)
    | undefined
  /** Returns the state of the connections that requests wait for. */
  pool(): PoolState
  /** Runs a trivial statement for health, on a connection that no request waits for. Never rejects. */
  ping(): Promise<DatabaseState>
  /** Runs several statements without values: migrations only. */
  script(text: string): Promise<void>
  close(): Promise<void>
}

/** Thrown if the database did not answer: down, restarting, out of connections, or too slow. The caller may retry. */
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable'
  constructor(cause: unknown, message = 'The database cannot be reached right now.') {
    super(message, { cause })
  }
}

/**
 * Thrown if the database refuses the connection until an operator acts, for example because of a wrong password. The
 * message contains the fix.
 */
export class DatabaseRefused extends DatabaseUnavailable {
  override readonly name = 'DatabaseRefused'
}

/** Thrown if the database answers, but currently accepts no writes. `advice` is for operators. */
export class DatabaseTakesNoWrites extends DatabaseUnavailable {
  override readonly name: string = 'DatabaseTakesNoWrites'
  readonly advice: string
  constructor(cause: unknown, message: string, advice: string) {
    super(cause, message)
    this.advice = advice
  }
}

/** Thrown by a standby after a failover, or with `default_transaction_read_only`. */
export class DatabaseReadOnly extends DatabaseTakesNoWrites {
  override readonly name = 'DatabaseReadOnly'
  constructor(cause: unknown) {
    super(cause, 'The database is read-only right now. Nothing can be changed.', readOnlyAdvice)
  }
}

/** Thrown if the disk of the database, or its quota, is full. */
export class DatabaseFull extends DatabaseTakesNoWrites {
  override readonly name = 'DatabaseFull'
  constructor(cause: unknown) {
    super(cause, 'The disk of the database is full. Nothing can be changed.', fullAdvice)
  }
}

/** The advice for operators. */
export const fullAdvice =
  'The disk of the database is full. Writes are rejected, and reads continue. Enlarge its volume or free space on it, but never delete files of the data folder by hand. No restart is needed.'

/** The advice for operators. */
export const readOnlyAdvice =
  'The database is read-only: it is a standby, or default_transaction_read_only is on. Point DATABASE_URL at the primary, promote this server, or turn that setting off.'

/** The SQLSTATE of a full disk. */
export const diskFull = '53100'

/** Returns the SQLSTATE of an engine's error, if it has one. */
export const sqlState = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined

/** Returns true if the error is the violation of the named constraint or unique index. */
export const violates = (error: unknown, constraint: string): boolean =>
  (error as { constraint?: string }).constraint === constraint

/**
 * Returns true for a deadlock, a serialization failure, or a lost prepared statement, after which the transaction can
 * be retried, because it had no effect.
 */
export const isRetryable = (error: unknown): boolean =>
  ['40001', '40P01', '26000', '42P05'].includes(sqlState(error) ?? '')
