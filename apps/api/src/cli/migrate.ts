import { migrate, newerSentence, ownFolder, schemaState } from '#platform/db/migrate'
import { type MigrationProgress, progressSentence } from '#platform/db/migration-progress'
import { withDatabase } from './with-database.ts'

/** Applies the missing migrations and prints their names. Notes for people go to stderr. */
export async function migrateCommand(): Promise<void> {
  const report = (progress: MigrationProgress) => console.error(progressSentence(progress))
  const { applied, newer } = await withDatabase(
    async (db) => ({ applied: await migrate(db, ownFolder, report), ...(await schemaState(db)) }),
    { mayMake: true },
  )
  if (newer.length > 0) console.error(newerSentence(newer))
  // Only an empty database lacks the first migration.
  if (applied[0]?.startsWith('0001_')) console.error(newSentence)
  console.log(applied.length === 0 ? 'nothing to do' : applied.map((name) => `applied ${name}`).join('\n'))
}

/** Warns operators who expected data: they may have to restore a backup, or have named the wrong database. */
const newSentence =
  'This database is new and contains no projects or settings. If you expected data, check DATABASE_URL, or restore a backup into an empty database (docs/guides/backup.md).'
