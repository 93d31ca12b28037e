import type { Database } from '../src/platform/db/database.ts'
import { openDatabase } from '../src/platform/db/open-database.ts'
import { createDatabase, type Engine, type TestDatabase } from './databases.ts'
import { madeForTests } from './made-for-tests.ts'
import { notingStatements } from './statements.ts'

/** Creates a migrated, empty database before the tests of this block, and drops it afterward. */
export const emptyDatabaseForTests = (engine: Engine): TestDatabase =>
  madeForTests(
    () => createDatabase(engine),
    (database) => database.drop(),
  )

/** Opens such a database before the tests of this block, and closes it after them. */
export function databaseForTests(engine: Engine): Database {
  const created = emptyDatabaseForTests(engine)
  return madeForTests(
    async () => notingStatements(await openDatabase(created.url)),
    (db) => db.close(),
  )
}
