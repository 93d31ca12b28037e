import type { Database, Queryable } from '../src/platform/db/database.ts'
import type { Sql } from '../src/platform/db/sql.ts'

/** Wraps a database to report each statement before it is sent. */
export function observedDatabase(db: Database, sent: (text: string) => void): Database {
  const told = <A extends [Sql, ...unknown[]], T>(run: (...args: A) => T) => {
    return (...args: A): T => {
      sent(args[0].text)
      return run(...args)
    }
  }
  const observed = (to: Queryable): Queryable => ({
    query: told<[Sql], Promise<never[]>>((statement) => to.query(statement)),
    maybeOne: told<[Sql], Promise<never>>((statement) => to.maybeOne(statement) as Promise<never>),
    execute: told<[Sql], Promise<number>>((statement) => to.execute(statement)),
  })
  const { dedicate } = db
  return {
    ...db,
    ...observed(db),
    transaction: (work, options) => db.transaction((tx) => work({ ...tx, ...observed(tx) }), options),
    batched: told<[Sql], Promise<never[]>>((statement) => db.batched(statement)),
    dedicate:
      dedicate &&
      (async (...options) => {
        const connection = await dedicate(...options)
        return {
          ...connection,
          rows: told<[Sql], Promise<never[]>>((statement) => connection.rows(statement)),
        }
      }),
  }
}
