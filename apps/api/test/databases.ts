import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { inject } from 'vitest'
import { copyFolder } from '../../../tools/copy-folder.ts'
import { makeDataFolder } from './data-folder.ts'

/** Both engines: for tests of what speaks SQL of its own. */
export const engines = ['postgres', 'pglite'] as const
export type Engine = (typeof engines)[number]

/**
 * The engine of production, for tests of features built on such statements. Each statement runs on PGlite in another
 * test, which `tools/pglite-statements.test.ts` checks. With ENGINES=all they run on both.
 */
export const mainEngines: readonly Engine[] = process.env['ENGINES'] === 'all' ? engines : ['postgres']

/**
 * Both engines in `.ci/run`, and the engine of production in `npm test`: for tests of features over HTTP, which send
 * many statements. Tests with `engines` run on both each time.
 */
export const ciEngines: readonly Engine[] = process.env['CI'] ? engines : mainEngines

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** A migrated, empty database of its own. */
export const createDatabase = (engine: Engine): Promise<TestDatabase> =>
  engine === 'postgres' ? createOnPostgres() : createFolder()

async function createOnPostgres(): Promise<TestDatabase> {
  const maintenance = inject('postgresUrl').replace(/\/postgres$/, '/template1')
  const name = `test_${randomBytes(6).toString('hex')}`
  await run(maintenance, `create database ${name} template postgres`)
  return {
    url: inject('postgresUrl').replace(/\/postgres$/, `/${name}`),
    drop: () => run(maintenance, `drop database if exists ${name} with (force)`),
  }
}

async function run(url: string, statement: string) {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } catch (error) {
    // Copying a template locks it; another test file may be copying at this moment.
    if ((error as { code?: string }).code !== '55006') throw error
    await client.end()
    await new Promise((resolve) => setTimeout(resolve, 50))
    return run(url, statement)
  } finally {
    await client.end().catch(() => {})
  }
}

async function createFolder(): Promise<TestDatabase> {
  const folder = await makeDataFolder('rolecall-test-')
  await copyTemplate(join(folder, 'db'))
  return { url: `pglite:${join(folder, 'db')}`, drop: () => exec('rm', ['-rf', folder]).then(() => {}) }
}

/** Puts a migrated, empty embedded database there. */
export async function copyTemplate(folder: string): Promise<void> {
  await copyFolder(inject('pgliteTemplate'), folder)
}

/** A thousand small files: the system's own programs take a tenth of the processor time of `node:fs`. */
const exec = promisify(execFile)
