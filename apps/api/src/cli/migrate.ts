import { migrate, newerSentence, ownFolder, schemaState } from '#platform/db/migrate'
import { type MigrationProgress, progressSentence } from '#platform/db/migration-progress'
import { withDatabase } from './with-database.ts'

/** Applies the migrations that are missing and prints their names; what a person should know besides, on stderr. */
export async function migrateCommand(): Promise<void> {
  const tell = (progress: MigrationProgress) => console.error(progressSentence(progress))
  const { applied, newer } = await withDatabase(
    async (db) => ({ applied: await migrate(db, ownFolder, tell), ...(await schemaState(db)) }),
    { mayMake: true },
  )
  if (newer.length > 0) console.error(newerSentence(newer))
  // Nothing but an empty database lacks the first.
  if (applied[0]?.startsWith('0001_')) console.error(newSentence)
  console.log(applied.length === 0 ? 'nothing to do' : applied.map((name) => `applied ${name}`).join('\n'))
}

/** Whoever restored something, or meant another database, has to notice. */
const newSentence =
  'This database is new: it was empty until now, and holds no projects and no settings. If you expected data in it, check DATABASE_URL, or restore a backup into an empty place (docs/guides/backup.md).'
