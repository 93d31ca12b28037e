import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Log } from '#platform/log'
import type { Sql } from './sql.ts'

/**
 * The maximum number of names. Further statements run unprepared, because statements that are built from conditions can
 * have any number of variants.
 */
const maxNames = 500

/** Names prepared statements, unless a pooler loses them. */
export interface StatementNames {
  /** Returns the query to send. With a name, each connection parses and plans the text only once. */
  toQuery(statement: Sql): pg.QueryConfig
  /**
   * Returns true if the error means that the server and the client disagree about a prepared statement. The statement
   * had no effect. From then on, no statement gets a name.
   */
  areLost(error: unknown): boolean
}

/** The SQLSTATEs of a missing prepared statement, and of a name that already exists. */
const lostStates = ['26000', '42P05']

/**
 * Creates the names for prepared statements. A pooler in transaction mode gives every transaction another connection to
 * the server, with other prepared statements. Names then work only if the pooler supports them, as PgBouncer does from
 * 1.21. A name is the digest of its text, so a statement that another client has prepared under the same name is the
 * same statement.
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
