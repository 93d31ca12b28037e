import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { inject } from 'vitest'
import { copyFolder } from '../../../tools/copy-folder.ts'
import { makeDataFolder } from './data-folder.ts'

/** Both engines, for tests of code that contains SQL. */
export const engines = ['postgres', 'pglite'] as const
export type Engine = (typeof engines)[number]

/**
 * The engine of production, for tests of features that use such code. `tools/pglite-statements.test.ts` checks that
 * another test runs each statement on PGlite. With ENGINES=all, these tests run on both engines.
 */
export const mainEngines: readonly Engine[] = process.env['ENGINES'] === 'all' ? engines : ['postgres']

/**
 * Both engines in `.ci/run`, and only the engine of production in `npm test`. For tests of features over HTTP, which
 * send many statements. Tests with `engines` always run on both.
 */
export const ciEngines: readonly Engine[] = process.env['CI'] ? engines : mainEngines

export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** Creates a migrated, empty database. */
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
    // Retries, because copying a template locks it, and another test file may be copying it.
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

/** Copies a migrated, empty embedded database to a folder. */
export async function copyTemplate(folder: string): Promise<void> {
  await copyFolder(inject('pgliteTemplate'), folder)
}

/** Runs programs of the system. For a thousand small files, they take a tenth of the processor time of `node:fs`. */
const exec = promisify(execFile)
