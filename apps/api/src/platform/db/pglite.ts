import { access, constants, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PGlite, PGliteInterface, Transaction } from '@electric-sql/pglite'
import pg from 'pg'
import type { Log } from '#platform/log'
import { keepByteOrderMarks } from './byte-order-marks.ts'
import {
  type Database,
  DatabaseFull,
  DatabaseUnavailable,
  diskFull,
  type Queryable,
  sqlState,
} from './database.ts'
import { type EngineStopped, startEngine } from './embedded-engine.ts'
import { type FolderProblem, FolderUnusable, lockFolder, refuseUnfinishedRestore } from './folder-lock.ts'
import { chooseAnother, folderProblem } from './folder-problem.ts'
import { createFullDisk } from './full-disk.ts'
import { makeFolder } from './make-folder.ts'
import { encodeParameter } from './pglite-parameters.ts'
import type { Sql } from './sql.ts'

const int8 = 20
const silent = { info() {}, warn() {} }
const { escapeLiteral } = pg
/**
 * Encodes parameters of every type with `encodeParameter`. For types that it does not know, the engine itself would
 * guess.
 */
const serializers = new Proxy<Record<number, (value: unknown) => string>>(
  {},
  { get: (_, type) => (value: unknown) => encodeParameter(Number(type), value) },
)

/** Options of the embedded engine. */
export interface EmbeddedOptions {
  readonly log?: Pick<Log, 'info' | 'warn'>
  /** Called once if the engine stops itself. Afterwards, every statement fails until the process restarts. */
  readonly onStopped?: ((reason: EngineStopped) => void) | undefined
}

/**
 * Opens PostgreSQL inside this process. Without a folder, the data is only in memory. The engine runs one statement at
 * a time and blocks the event loop, so callers combine their statements (see `batcher`).
 */
export async function openPglite(
  folder: string | undefined,
  { log = silent, onStopped }: EmbeddedOptions = {},
): Promise<Database> {
  const unlock = folder === undefined ? async () => {} : await lockedFolder(folder)
  const engine = await startEngine(
    { ...(folder !== undefined && { dataDir: folder }), parsers: { [int8]: Number } },
    onStopped,
  ).catch(async (cause: unknown) => {
    await unlock()
    throw folder === undefined
      ? cause
      : new FolderUnusable(folder, folderProblem(cause) ?? noStart(cause), cause)
  })
  const { pglite } = engine
  keepByteOrderMarks(pglite)
  let closed = false
  const disk = createFullDisk(log)
  const whileOpen = async <T>(run: () => Promise<T>): Promise<T> => {
    if (closed) throw new DatabaseUnavailable(new Error('The database is closed.'))
    try {
      return await run()
    } catch (error) {
      if (engine.stopped()) throw new DatabaseUnavailable(error)
      if (sqlState(error) === diskFull) {
        disk.met()
        throw new DatabaseFull(error)
      }
      // SQLSTATE class 53 means that resources are used up. Nothing was written, and a retry can succeed.
      throw sqlState(error)?.startsWith('53') ? new DatabaseUnavailable(error) : error
    }
  }

  return {
    engine: 'pglite',
    maxBatchesAtOnce: 1,
    ...queryable(pglite, whileOpen),
    transaction: async (work) => {
      const onCommit: (() => void)[] = []
      const result = await whileOpen(() =>
        pglite.transaction((tx) =>
          work({
            kind: 'transaction',
            ...queryable(tx, whileOpen),
            script: async (text) => void (await tx.exec(text)),
            afterCommit: (run) => void onCommit.push(run),
          }),
        ),
      )
      for (const run of onCommit) run()
      return result
    },
    batched: batched(pglite, whileOpen),
    // The lock of the folder keeps other processes out, so there is nothing to notify.
    dedicate: undefined,
    stream: (statement, pageSize) => stream(pglite, statement, pageSize, whileOpen),
    analyze: async (...tables) => {
      for (const table of tables) {
        await whileOpen(() => pglite.exec(`analyze ${table}`))
        await nextTurn()
      }
    },
    pool: () => ({ max: 1, total: closed ? 0 : 1, idle: closed ? 0 : 1, waiting: 0 }),
    ping: () =>
      whileOpen(() => pglite.query('select 1')).then(
        () => (disk.isFull() ? 'full' : 'up'),
        () => 'down',
      ),
    script: (text) => whileOpen(async () => void (await pglite.exec(text))),
    close: async () => {
      if (closed) return
      closed = true
      disk.close()
      await engine.close()
      await unlock()
    },
  }
}

/**
 * Creates the function for batches. It plans each statement once, and then executes it by name. Otherwise, this engine
 * would plan a statement with parameters every time, which takes longer than everything else.
 */
function batched(pglite: PGlite, whileOpen: WhileOpen): Database['batched'] {
  const plans = new Map<string, Promise<BatchPlan>>()
  let prepared = 0
  const prepare = (text: string) => {
    prepared += 1
    const plan = prepareBatch(pglite, text, `batch_${prepared}`)
    plans.set(text, plan)
    // If planning fails, for example because the disk is full, the next call tries again.
    plan.catch(() => plans.delete(text))
    return plan
  }
  return <Row>({ text, values }: Sql) =>
    whileOpen(async () => {
      const { name, types } = await (plans.get(text) ?? prepare(text))
      const call =
        values.length === 0 ? '' : `(${values.map((value, i) => literal(types[i], value)).join(', ')})`
      const [result] = await pglite.exec(`execute ${name}${call}`)
      return (result?.rows ?? []) as Row[]
    })
}

interface BatchPlan {
  readonly name: string
  /** The types of the parameters, in order. */
  readonly types: readonly number[]
}

/**
 * Prepares a statement with a plan that uses indexes, as on the batch connections of PostgreSQL. The engine does not
 * collect statistics by itself. Without these settings, the plan for an almost empty table would read the whole table,
 * and would stay in use while the table grows.
 */
async function prepareBatch(pglite: PGlite, text: string, name: string): Promise<BatchPlan> {
  await pglite.exec(`set plan_cache_mode = force_generic_plan; set jit = off; prepare ${name} as ${text}`)
  const { rows } = await pglite.query<{ type: number }>(
    `select unnest(parameter_types)::oid as type from pg_prepared_statements where name = $1`,
    [name],
  )
  const values = rows.length === 0 ? '' : `(${rows.map(() => 'null').join(', ')})`
  const scans = ['seqscan', 'hashjoin', 'mergejoin']
  await pglite.exec(`
    ${scans.map((scan) => `set enable_${scan} = off;`).join(' ')} explain execute ${name}${values};
    ${scans.map((scan) => `reset enable_${scan};`).join(' ')}`)
  return { name, types: rows.map(({ type }) => type) }
}

function literal(type: number | undefined, value: unknown) {
  if (type === undefined) throw new TypeError('The statement has fewer parameters than values.')
  const encoded = encodeParameter(type, value)
  if (encoded === null) return 'null'
  if (encoded.includes('\0')) throw invalidText()
  return escapeLiteral(encoded)
}

/**
 * Creates the error that PostgreSQL reports for a NUL character in a parameter. Here, the character would end the text
 * of the statement.
 */
const invalidText = () =>
  Object.assign(new Error('invalid byte sequence for encoding "UTF8": 0x00'), { code: '22021' })

const noStart = (cause: unknown): FolderProblem => ({
  reason: `the database engine does not start on it (${(cause as Error).message})`,
  fix:
    'Check its permissions, its disk and the free memory first: the data may be whole. ' +
    'Only if it is damaged, restore a backup into an empty folder with `rolecall restore FILE`.',
})

async function lockedFolder(folder: string) {
  await makeFolder(folder)
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const problem = folderProblem(error)
    throw problem ? new FolderUnusable(folder, problem, error) : error
  }
  const unlock = await lockFolder(folder)
  try {
    if ((await readdir(folder)).length === 0) {
      refuseUnfinishedRestore(folder)
      await createCluster(folder)
    }
  } catch (error) {
    await unlock()
    throw error
  }
  return unlock
}

const noCluster: FolderProblem = {
  reason: 'the database engine cannot create a database there',
  fix: `Check that enough memory is free, or ${chooseAnother}`,
}

/**
 * Creates the database in a folder with another name, and renames the folder when it is complete. So if the process is
 * killed during the first start, no incomplete folder has the final name.
 */
async function createCluster(folder: string) {
  const unfinished = `${folder}.creating`
  await rm(unfinished, { recursive: true, force: true })
  try {
    const engine = await startEngine({ dataDir: unfinished })
    await engine.close()
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true })
    throw new FolderUnusable(folder, folderProblem(cause) ?? noCluster, cause)
  }
  await rmdir(folder)
  await rename(unfinished, folder)
}

type WhileOpen = <T>(run: () => Promise<T>) => Promise<T>

function queryable(client: Pick<PGliteInterface | Transaction, 'query'>, whileOpen: WhileOpen): Queryable {
  const run = <Row>({ text, values }: Sql) =>
    whileOpen(() => client.query<Row>(text, [...values], { serializers }))
  return {
    query: async <Row>(statement: Sql) => (await run<Row>(statement)).rows,
    maybeOne: async <Row>(statement: Sql) => (await run<Row>(statement)).rows[0],
    execute: async (statement) => (await run(statement)).affectedRows ?? 0,
  }
}

/**
 * Yields the pages of a cursor. The cursor is held: it keeps its own snapshot outside of a transaction, which would
 * block the only connection while the caller reads slowly.
 */
async function* stream<Row>(pglite: PGlite, statement: Sql, pageSize: number, whileOpen: WhileOpen) {
  streams += 1
  const name = `stream_${streams}`
  const declaration = `declare ${name} no scroll cursor with hold for ${statement.text}`
  await whileOpen(() => pglite.query(declaration, [...statement.values], { serializers }))
  try {
    for (;;) {
      const { rows } = await whileOpen(() => pglite.query<Row>(`fetch ${pageSize} from ${name}`))
      if (rows.length === 0) return
      yield rows
    }
  } finally {
    await pglite.query(`close ${name}`).catch(() => {})
  }
}
let streams = 0
