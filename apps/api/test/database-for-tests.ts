import type { Database } from '../src/platform/db/database.ts'
import { openDatabase } from '../src/platform/db/open-database.ts'
import { createDatabase, type Engine } from './databases.ts'
import { madeForTests } from './made-for-tests.ts'
import { notingStatements } from './statements.ts'

/** Opens a migrated, empty database before the tests of this block, and drops it afterward. */
export function databaseForTests(engine: Engine): Database {
  const created = madeForTests(
    () => createDatabase(engine),
    (database) => database.drop(),
  )
  return madeForTests(
    async () => notingStatements(await openDatabase(created.url)),
    (db) => db.close(),
  )
}
