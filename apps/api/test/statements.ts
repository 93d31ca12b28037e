import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Database, Queryable } from '../src/platform/db/database.ts'
import type { Sql } from '../src/platform/db/sql.ts'

const told = new Set<string>()

/** Records the text of a statement for the check at the end of the run. */
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

/** Wraps a database to record the statements that PGlite runs. */
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
