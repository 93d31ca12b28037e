import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Log } from '#platform/log'
import type { Sql } from './sql.ts'

/**
 * The maximum number of names. Beyond it, statements run unprepared, because texts with inserted conditions vary
 * without bound.
 */
const maxNames = 500

export interface StatementNames {
  /** Returns the query to send. It has a name, so that each connection parses and plans the text once. */
  toQuery(statement: Sql): pg.QueryConfig
  /**
   * Returns true if a name was known on one side of the connection only. The statement had no effect, and from then on
   * no statement is named.
   */
  areLost(error: unknown): boolean
}

/** The SQLSTATEs of a missing prepared statement, and of a name that exists already. */
const lostStates = ['26000', '42P05']

/**
 * Names prepared statements. A pooler in transaction mode gives each transaction another connection to the server, with
 * other prepared statements. Unless the pooler supports them (PgBouncer does from 1.21), they cannot be used. A name is
 * derived from the text, so a statement that another client has prepared with this name is the same.
 */
export function createStatementNames(log: Pick<Log, 'warn'>): StatementNames {
  const names = new Map<string, string>()
  let areUsable = true

  function nameOf(text: string): string | undefined {
    if (!areUsable) return undefined
    const known = names.get(text)
    if (known !== undefined || names.size >= maxNames) return known
    const name = `s${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
    names.set(text, name)
    return name
  }

  return {
    toQuery({ text, values, isReplanned }) {
      const name = isReplanned ? undefined : nameOf(text)
      return name === undefined ? { text, values: [...values] } : { name, text, values: [...values] }
    },
    areLost(error) {
      if (!(error instanceof pg.DatabaseError) || !lostStates.includes(error.code ?? '')) return false
      if (areUsable) {
        log.warn(
          'prepared statements disabled: the pooler loses them. In transaction mode, use PgBouncer 1.21 or newer with max_prepared_statements',
        )
      }
      areUsable = false
      return true
    },
  }
}
