import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Database, Queryable } from '../src/platform/db/database.ts'
import type { Sql } from '../src/platform/db/sql.ts'

const told = new Set<string>()

/** Notes the text of a statement where the check at the end of the run finds it. */
function note({ text }: Sql) {
  if (told.has(text)) return
  told.add(text)
  appendFileSync(join(inject('statementsFolder'), String(process.pid)), `${JSON.stringify(text)}\n`)
}

const noting = (db: Queryable): Queryable => ({
  query: (statement) => {
    note(statement)
    return db.query(statement)
  },
  maybeOne: (statement) => {
    note(statement)
    return db.maybeOne(statement)
  },
  execute: (statement) => {
    note(statement)
    return db.execute(statement)
  },
})

/** The same database; what PGlite is given is noted. */
export const notingStatements = (db: Database): Database => (db.engine === 'pglite' ? noted(db) : db)

const noted = (db: Database): Database => ({
  ...db,
  ...noting(db),
  transaction: (work, options) => db.transaction((tx) => work({ ...tx, ...noting(tx) }), options),
  batched: (statement) => {
    note(statement)
    return db.batched(statement)
  },
  stream: (statement, pageSize) => {
    note(statement)
    return db.stream(statement, pageSize)
  },
})
