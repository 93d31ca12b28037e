import pg from 'pg'
import { connectionRefusal } from './connection-refusals.ts'
import { DatabaseFull, DatabaseReadOnly, DatabaseRefused, DatabaseUnavailable, diskFull } from './database.ts'

/**
 * Returns true if the connection ended before the statement had an effect: the server reported the end, or the
 * connection was already lost. Returns false for a connection that was lost without a message, because the statement
 * may have been committed.
 */
export const wasCut = (error: unknown) =>
  error instanceof pg.DatabaseError
    ? endedWhileIdle.includes(error.code ?? '')
    : / is not queryable$/.test(String(error))

/**
 * The server ended the connection: by an administrator, or because it was idle for too long, also within a transaction.
 * A process that was suspended or blocked reads this only as the response to its next statement.
 */
const endedWhileIdle = ['57P01', '57P05', '25P03']
/** The same because its transaction took too long. A repetition would take as long. */
const transactionTimeout = '25P04'
const lockNotAvailable = '55P03'

/** Converts errors of the database to `DatabaseUnavailable` and its subclasses. Returns every other error unchanged. */
export function translate(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) return error
  const refusal = connectionRefusal(error)
  if (refusal) return new DatabaseRefused(error, refusal)
  if (error instanceof pg.DatabaseError && error.code === '25006') return new DatabaseReadOnly(error)
  if (error instanceof pg.DatabaseError && error.code === diskFull) return new DatabaseFull(error)
  return isOutage(error) ? new DatabaseUnavailable(error) : error
}

/**
 * Returns true if the error does not depend on the statement. An error that the server did not report comes from the
 * connection or a timeout. Reported ones: the classes 08 (connection), 53 (resources), 57 (operator), 58 (system), and
 * XX (internal error), ended connections, and a lock that was not available in time.
 */
function isOutage(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true
  const state = error.code ?? ''
  return (
    /^(08|53|57|58|XX)/.test(state) ||
    [...endedWhileIdle, transactionTimeout, lockNotAvailable].includes(state)
  )
}
