import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { schemaState } from '#platform/db/migrate'
import { openDatabase } from '#platform/db/open-database'
import { archiveFolder, NotAnArchive, unarchiveFolder } from '#platform/db/pglite-archive'
import { loadConfig } from '../config.ts'
import { markRestored } from '../features/restored/store.ts'
import { readEnvironment } from '../process/environment.ts'
import { StartRefused } from '../process/start-refused.ts'
import { keepOwner } from './keep-owner.ts'
import { folderOf, unmadeFolder } from './unmade-folder.ts'
import { refuseWhileRunning } from './with-database.ts'

/**
 * Writes the embedded database to a file, completely or not at all. Only the owner of the file can read it, because it
 * contains personal data.
 */
export async function backup(file: string): Promise<void> {
  const folder = embeddedFolder('pg_dump --format=custom --file=FILE')
  if (unmadeFolder({ databaseUrl: `pglite:${folder}` })) {
    throw new StartRefused(`There is no database in ${folder}. Check the folder and DATABASE_URL.`)
  }
  await mayWrite(file)
  const archive = await keepOwner(`pglite:${folder}`, () => archiveFolder(folder)).catch((error: unknown) =>
    refuseWhileRunning(error),
  )
  // The name is random, so that no other user can prepare a file or link with it. Such a file would keep its own
  // permissions.
  const unfinished = `${file}.${randomBytes(8).toString('hex')}`
  try {
    await writeFile(unfinished, archive, { mode: 0o600, flag: 'wx', flush: true })
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw cannot(file, 'written', error)
  }
  console.log(`wrote    ${file}, ${grouped(Math.ceil(archive.length / 1024))} KiB`)
  console.log('It contains no encryption keys. Keep OUTBOUND_ and INBOUND_WEBHOOK_ENCRYPTION_KEY elsewhere.')
}

/** Restores a backup into the folder that the configuration names, and prints what to do next. */
export async function restore(file: string): Promise<void> {
  const folder = embeddedFolder('pg_restore --dbname=DATABASE_URL FILE')
  if (!unmadeFolder({ databaseUrl: `pglite:${folder}` })) {
    throw new StartRefused(
      `${folder} already contains a database. Stop the service, move the folder away (mv ${folder} ${folder}.before), and try again.`,
    )
  }
  const archive = await readFile(file).catch((error: unknown) => Promise.reject(cannot(file, 'read', error)))
  try {
    await keepOwner(`pglite:${folder}`, () => unarchiveFolder(folder, archive, markAsRestored))
  } catch (error) {
    if (!(error instanceof NotAnArchive)) throw error
    throw new StartRefused(
      `${file} is not a complete backup of an embedded database, or was made by another engine version. Nothing was changed.`,
    )
  }
  console.log(`restored ${folder}`)
  console.log(
    'Sessions that were revoked after the backup are valid again. Before you start the service, run:',
  )
  console.log('  rolecall migrate && rolecall sessions revoke --all')
}

/**
 * Refuses a database that this version cannot work with, so that the next start does not have to. Marks the others as
 * restored.
 */
async function markAsRestored(url: string) {
  const db = await openDatabase(url)
  try {
    const { pending } = await schemaState(db)
    // A database without tables needs no mark.
    if (!pending.includes('0001_clock_and_identity.sql')) await markRestored(db)
  } finally {
    await db.close()
  }
}

function embeddedFolder(command: string): string {
  const { config, problems } = loadConfig(readEnvironment())
  const wrong = problems.filter((line) => line.startsWith('DATABASE_URL'))
  if (wrong.length > 0) throw new StartRefused(wrong.join('\n'))
  const folder = folderOf(config.databaseUrl)
  // Removes the slash at the end. With it, files that belong next to the folder would be inside.
  if (folder) return folder.replace(/(?<=.)\/+$/, '')
  throw new StartRefused(
    `DATABASE_URL does not name a folder with an embedded database. For PostgreSQL, use its own tools: ${command} (docs/guides/backup.md).`,
  )
}

/** Tests that the file can be created, and deletes it again. An existing file is never overwritten. */
async function mayWrite(file: string) {
  try {
    await writeFile(file, '', { flag: 'wx', mode: 0o600 })
    await rm(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new StartRefused(
        `${file} already exists, and a backup never replaces a file. Move it, or choose another name.`,
      )
    throw cannot(file, 'written', error)
  }
}

const cannot = (file: string, what: string, error: unknown) =>
  new StartRefused(`${file} cannot be ${what} (${(error as NodeJS.ErrnoException).code}).`)

const grouped = (count: number) => count.toLocaleString('en')
