import type { DedicatedConnection } from './dedicated-connection.ts'
import type { Sql } from './sql.ts'

/** What a statement may be sent through: the database itself, or a transaction of it. */
export interface Queryable {
  /** All rows. */
  query<Row>(statement: Sql): Promise<Row[]>
  /** The first row, or undefined. */
  maybeOne<Row>(statement: Sql): Promise<Row | undefined>
  /** The number of rows that the statement changed. */
  execute(statement: Sql): Promise<number>
}

/** An open transaction. A use case that takes one promises to be part of the caller's change. */
export interface Tx extends Queryable {
  readonly kind: 'transaction'
  /** Runs several statements that take no values: migrations only. */
  script(text: string): Promise<void>
  /** Calls `run` once this transaction has committed; never when it does not. `run` must not throw. */
  afterCommit(run: () => void): void
}

/**
 * Read-only: it answers and takes no writes, as a standby does, or a server that was told so. Full: it answers, and has
 * just refused a write because its disk has no room.
 */
export type DatabaseState = 'up' | 'read-only' | 'full' | 'down'

export interface PoolState {
  readonly max: number
  /** Open now; the others are opened when they are needed. */
  readonly total: number
  readonly idle: number
  /** Callers for whom there is neither an idle connection nor room for another. */
  readonly waiting: number
}

/**
 * One SQL dialect on two engines. Every method throws `DatabaseUnavailable` when the database cannot
 * answer in time, and nothing else that a client could have caused.
 */
export interface Database extends Queryable {
  readonly engine: 'postgres' | 'pglite'
  /** How many batch reads are worth having under way at once. */
  readonly maxBatchesAtOnce: number
  /**
   * Commits when `work` returns; deadlocks and serialization failures are retried, so `work` may
   * run again. `long` is for work of the service's own: no timeout, and never a connection that requests wait for.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: { long?: boolean }): Promise<T>
  /** A statement of look-ups by key, or of changes, for many at once: planned once for batches of any size, on connections of its own. */
  batched<Row>(statement: Sql): Promise<Row[]>
  /** Rows in pages through one snapshot at constant memory; `work` is called for each page in order. */
  stream<Row>(statement: Sql, pageSize: number): AsyncGenerator<Row[], void, void>
  /**
   * Counts tables anew for the planner, one by one: after many rows at once, which it would hear of late, or in the
   * embedded engine never.
   */
  analyze(...tables: readonly string[]): Promise<void>
  /**
   * A connection of the caller's own, which listens to a channel; undefined where there is one process and nobody to
   * listen to.
   */
  readonly dedicate:
    | ((channel: string, received: (payload: string) => void) => Promise<DedicatedConnection>)
    | undefined
  /** The connections that requests wait for. */
  pool(): PoolState
  /** For health: what a trivial statement finds, on a connection that no request waits for. Never rejects. */
  ping(): Promise<DatabaseState>
  /** Runs several statements that take no values: migrations only. */
  script(text: string): Promise<void>
  close(): Promise<void>
}

/** The database did not answer: down, restarting, out of connections, or too slow. The caller may retry. */
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable'
  constructor(cause: unknown, message = 'The database cannot be reached right now.') {
    super(message, { cause })
  }
}

/** It answers, and lets us in as little later as now: a wrong password, role or name. The message says how to mend it. */
export class DatabaseRefused extends DatabaseUnavailable {
  override readonly name = 'DatabaseRefused'
}

/** It answers, and takes no writes for now. `advice` is for operators. */
export class DatabaseTakesNoWrites extends DatabaseUnavailable {
  override readonly name: string = 'DatabaseTakesNoWrites'
  readonly advice: string
  constructor(cause: unknown, message: string, advice: string) {
    super(cause, message)
    this.advice = advice
  }
}

/** A standby after a failover, or `default_transaction_read_only`. */
export class DatabaseReadOnly extends DatabaseTakesNoWrites {
  override readonly name = 'DatabaseReadOnly'
  constructor(cause: unknown) {
    super(cause, 'The database is read-only right now: nothing can be changed.', readOnlyAdvice)
  }
}

/** Its disk is full, or the quota of its user. */
export class DatabaseFull extends DatabaseTakesNoWrites {
  override readonly name = 'DatabaseFull'
  constructor(cause: unknown) {
    super(cause, 'The database has no room: nothing can be changed.', fullAdvice)
  }
}

/** For operators. */
export const fullAdvice =
  'The disk of the database is full: what writes is refused, what reads goes on. Make its volume larger or free space on it; never delete files of the data folder by hand. Nothing has to be restarted.'

/** For operators. */
export const readOnlyAdvice =
  'The database is read-only: it is a standby, or default_transaction_read_only is on. Point DATABASE_URL at the primary, or promote this server, or switch that setting off.'

/** SQLSTATE of a full disk. */
export const diskFull = '53100'

/** SQLSTATE of an engine's error, where it has one. */
export const sqlState = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined

/** True when the error is the violation of the named constraint or unique index. */
export const violates = (error: unknown, constraint: string): boolean =>
  (error as { constraint?: string }).constraint === constraint

/** Deadlock, serialization failure, a prepared statement that got lost: nothing happened, and trying again is the cure. */
export const isRetryable = (error: unknown): boolean =>
  ['40001', '40P01', '26000', '42P05'].includes(sqlState(error) ?? '')
