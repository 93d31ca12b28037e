import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Log } from '#platform/log'
import type { Sql } from './sql.ts'

/** Texts with spliced conditions vary without bound: past the cap they run unprepared. */
const maxNames = 500

export interface StatementNames {
  /** What is sent: with a name, so that each connection parses and plans the text once. */
  toQuery(statement: Sql): pg.QueryConfig
  /**
   * True when a name was known on one side of the connection only. Nothing of the statement has happened, and from then on
   * nothing is given a name.
   */
  areLost(error: unknown): boolean
}

/** No such prepared statement, and one of that name already. */
const lost = ['26000', '42P05']

/**
 * Names of prepared statements. A pooler in transaction mode gives each transaction another connection of the server, where
 * other statements are known: without support for them (PgBouncer has it from 1.21) they cannot be used. The name is made of
 * the text, so that one that another client has prepared is at worst the same statement.
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
    toQuery({ text, values, isPlannedAnew }) {
      const name = isPlannedAnew ? undefined : nameOf(text)
      return name === undefined ? { text, values: [...values] } : { name, text, values: [...values] }
    },
    areLost(error) {
      if (!(error instanceof pg.DatabaseError) || !lost.includes(error.code ?? '')) return false
      if (areUsable) {
        log.warn(
          'prepared statements get lost on the way to the database, going on without: a pooler in transaction mode needs support for them, PgBouncer 1.21 or newer with max_prepared_statements',
        )
      }
      areUsable = false
      return true
    },
  }
}
