import type { Database, Queryable } from '../src/platform/db/database.ts'
import type { Sql } from '../src/platform/db/sql.ts'

/** Wraps a database to report each statement outside of transactions before it is sent. */
export function observedDatabase(db: Database, sent: (text: string) => void): Database {
  const told = <A extends [Sql, ...unknown[]], T>(run: (...args: A) => T) => {
    return (...args: A): T => {
      sent(args[0].text)
      return run(...args)
    }
  }
  const { dedicate } = db
  return {
    ...db,
    query: told<[Sql], Promise<never[]>>((statement) => db.query(statement)),
    maybeOne: told<[Sql], Promise<never>>((statement) => db.maybeOne(statement) as Promise<never>),
    execute: told<[Sql], Promise<number>>((statement) => db.execute(statement)),
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
  } satisfies Database & Queryable
}
