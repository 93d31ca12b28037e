import { access, constants, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { PGlite, type PGliteInterface, type Transaction } from '@electric-sql/pglite'
import pg from 'pg'
import type { Log } from '#platform/log'
import {
  type Database,
  DatabaseFull,
  DatabaseUnavailable,
  diskFull,
  type Queryable,
  sqlState,
} from './database.ts'
import { FolderUnusable, lockFolder, refuseUnfinishedRestore } from './folder-lock.ts'
import { createFullDisk } from './full-disk.ts'
import { hasNoRoom, noRoom } from './no-room.ts'
import type { Sql } from './sql.ts'

const int8 = 20
const silent = { info() {}, warn() {} }
const { escapeLiteral } = pg
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils

/**
 * PostgreSQL embedded in this process. `folder` undefined keeps the data in memory. It answers one
 * statement at a time, on the event loop, so callers batch what they can.
 */
export async function openPglite(
  folder: string | undefined,
  log: Pick<Log, 'info' | 'warn'> = silent,
): Promise<Database> {
  const unlock = folder === undefined ? async () => {} : await lockedFolder(folder)
  const pglite = await PGlite.create({
    ...(folder !== undefined && { dataDir: folder }),
    parsers: { [int8]: Number },
  }).catch(async (cause: unknown) => {
    await unlock()
    throw folder === undefined
      ? cause
      : new FolderUnusable(folder, 'the engine does not start: is the disk full?', cause)
  })
  let closed = false
  const disk = createFullDisk(log)
  const whileOpen = async <T>(run: () => Promise<T>): Promise<T> => {
    if (closed) throw new DatabaseUnavailable(new Error('The database is closed.'))
    try {
      return await run()
    } catch (error) {
      if (sqlState(error) === diskFull) {
        disk.met()
        throw new DatabaseFull(error)
      }
      // Class 53 is what runs out. It may be there again in a moment, and nothing was written.
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
    // A lock keeps every other process out of the folder.
    dedicate: undefined,
    stream: (statement, pageSize) => stream(pglite, statement, pageSize),
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
      await pglite.close()
      await unlock()
    },
  }
}

/**
 * Plans a statement once and then executes it by name: planning is most of what this engine's time goes
 * into, and its own parameters would plan anew each time.
 */
function batched(pglite: PGlite, whileOpen: WhileOpen): Database['batched'] {
  const names = new Map<string, Promise<string>>()
  const prepare = async (text: string, name: string) => {
    await pglite.exec(`set plan_cache_mode = force_generic_plan; set jit = off; prepare ${name} as ${text}`)
    return name
  }
  return <Row>({ text, values }: Sql) =>
    whileOpen(async () => {
      const name = names.get(text) ?? prepare(text, `batch_${names.size}`)
      names.set(text, name)
      const call = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`
      const [result] = await pglite.exec(`execute ${await name}${call}`)
      return (result?.rows ?? []) as Row[]
    })
}

const literal = (value: unknown) => {
  const text: unknown = prepareValue(value)
  return text === null ? 'null' : escapeLiteral(String(text))
}

/** What a person can mend about a folder, by the codes of the operating system. */
const mendable = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC', 'EDQUOT', 'ENAMETOOLONG']

async function lockedFolder(folder: string) {
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw mendable.includes(code) ? new FolderUnusable(folder, code) : error
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

/** Under another name until it is whole: a first start that is killed half way leaves nothing that looks ready. */
async function createCluster(folder: string) {
  const unfinished = `${folder}.creating`
  await rm(unfinished, { recursive: true, force: true })
  try {
    const pglite = await PGlite.create({ dataDir: unfinished })
    await pglite.close()
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true })
    throw new FolderUnusable(folder, hasNoRoom(cause) ? noRoom : 'the engine makes no database there', cause)
  }
  await rmdir(folder)
  await rename(unfinished, folder)
}

type WhileOpen = <T>(run: () => Promise<T>) => Promise<T>

function queryable(client: Pick<PGliteInterface | Transaction, 'query'>, whileOpen: WhileOpen): Queryable {
  const run = <Row>({ text, values }: Sql) => whileOpen(() => client.query<Row>(text, [...values]))
  return {
    query: async <Row>(statement: Sql) => (await run<Row>(statement)).rows,
    maybeOne: async <Row>(statement: Sql) => (await run<Row>(statement)).rows[0],
    execute: async (statement) => (await run(statement)).affectedRows ?? 0,
  }
}

/**
 * Pages through a held cursor, which keeps its snapshot without a transaction: a transaction would keep
 * this engine's only connection from everyone else while a slow reader takes its time.
 */
async function* stream<Row>(pglite: PGlite, statement: Sql, pageSize: number) {
  streams += 1
  const name = `stream_${streams}`
  await pglite.query(`declare ${name} no scroll cursor with hold for ${statement.text}`, [
    ...statement.values,
  ])
  try {
    for (;;) {
      const { rows } = await pglite.query<Row>(`fetch ${pageSize} from ${name}`)
      if (rows.length === 0) return
      yield rows
    }
  } finally {
    await pglite.query(`close ${name}`).catch(() => {})
  }
}
let streams = 0
