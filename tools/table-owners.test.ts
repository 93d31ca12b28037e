import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { exceptions, owners } from './table-owners.ts'

const source = fileURLToPath(new URL('../apps/api/src', import.meta.url))
const migrations = fileURLToPath(new URL('../apps/api/migrations', import.meta.url))

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?<!\.test)\.ts$/.test(name))
  .map((name) => join(source, name))

const tables = readdirSync(migrations).flatMap((name) =>
  [...readFileSync(join(migrations, name), 'utf8').matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(
    ([, table]) => table,
  ),
)

/** Every writing statement of the sources, as what it does, to which table, in which folder. */
const writes = files.flatMap((path) =>
  [...readFileSync(path, 'utf8').matchAll(/\b(insert into|update|delete from) +(\w+)/g)]
    .filter(([, , table]) => tables.includes(table))
    .map(([, verb = '', table = '']) => ({ verb, table, folder: relative(source, dirname(path)) })),
)

const isIn = (folder: string, owner: string) => folder === owner || folder.startsWith(`${owner}/`)

describe('tables', () => {
  test('are written by their owner, and by whoever has a reason that is written down', () => {
    expect(writes.length).toBeGreaterThan(80)
    const foreign = writes.filter(
      ({ verb, table, folder }) =>
        !isIn(folder, owners[table] ?? 'nobody') &&
        !exceptions[table]?.[folder] &&
        !(folder === 'features/housekeeping' && verb === 'delete from'),
    )
    expect(foreign).toEqual([])
  })

  test('have an owner each, and no exception that nobody needs', () => {
    const written = [...new Set(writes.map(({ table }) => table))].sort()
    expect(Object.keys(owners).sort()).toEqual(written)
    const unused = Object.entries(exceptions).flatMap(([table, reasons]) =>
      Object.keys(reasons).filter(
        (folder) => !writes.some((write) => write.table === table && write.folder === folder),
      ),
    )
    expect(unused).toEqual([])
  })
})
