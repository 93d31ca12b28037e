import type { Database, Queryable } from '#platform/db/database'
import type { Sql } from '#platform/db/sql'
import type { Tracing } from './tracing.ts'

const maxText = 1_000

/** Wraps a database so that each statement has a span. The span of a batch belongs to the trace of its first caller. */
export function tracedDatabase(db: Database, { around }: Pick<Tracing, 'around'>): Database {
  const traced = (to: Queryable): Queryable => ({
    query: (statement) => around(...spanOf(statement), () => to.query(statement)),
    maybeOne: (statement) => around(...spanOf(statement), () => to.maybeOne(statement)),
    execute: (statement) => around(...spanOf(statement), () => to.execute(statement)),
  })
  return {
    ...db,
    ...traced(db),
    batched: (statement) => around(...spanOf(statement), () => db.batched(statement)),
    transaction: (work, options) =>
      around('transaction', { 'db.system.name': 'postgresql' }, () =>
        db.transaction((tx) => work({ ...tx, ...traced(tx) }), options),
      ),
  }
}

/**
 * Returns the name and the attributes for the span of a statement. The text of a statement contains no values, because
 * all values are parameters.
 */
function spanOf({ text }: Sql) {
  const query = text.replaceAll(/\s+/g, ' ').trim()
  const attributes = { 'db.system.name': 'postgresql', 'db.query.text': query.slice(0, maxText) }
  return [query.split(' ', 1)[0] || 'statement', attributes] as const
}
