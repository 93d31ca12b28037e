import { migrate } from '#platform/db/migrate'
import { withDatabase } from './with-database.ts'

/** Applies the migrations that are missing and prints their names. */
export async function migrateCommand(): Promise<void> {
  const applied = await withDatabase((db) => migrate(db), { mayMake: true })
  console.log(applied.length === 0 ? 'nothing to do' : applied.map((name) => `applied ${name}`).join('\n'))
}
