import { migrate, newerSentence, schemaState } from '#platform/db/migrate'
import { withDatabase } from './with-database.ts'

/** Applies the migrations that are missing and prints their names. */
export async function migrateCommand(): Promise<void> {
  const { applied, newer } = await withDatabase(
    async (db) => ({ applied: await migrate(db), ...(await schemaState(db)) }),
    { mayMake: true },
  )
  if (newer.length > 0) console.error(newerSentence(newer))
  console.log(applied.length === 0 ? 'nothing to do' : applied.map((name) => `applied ${name}`).join('\n'))
}
