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

/** Lists the writing statements of a source: what each does, to which table, in which folder. */
const writesIn = (folder: string, text: string) =>
  [...text.matchAll(/\b(insert into|update|delete from) +(\w+)/g)]
    .filter(([, , table]) => tables.includes(table))
    .map(([, verb = '', table = '']) => ({ verb, table, folder }))

const writes = files.flatMap((path) => writesIn(relative(source, dirname(path)), readFileSync(path, 'utf8')))

type Write = (typeof writes)[number]

/** Returns the writes to a table by a folder that neither owns it nor has a reason. */
const foreign = (all: readonly Write[]) =>
  all.filter(
    ({ verb, table, folder }) =>
      !isIn(folder, owners[table] ?? 'no owner') &&
      !exceptions[table]?.[folder] &&
      !(folder === 'features/housekeeping' && verb === 'delete from'),
  )

const isIn = (folder: string, owner: string) => folder === owner || folder.startsWith(`${owner}/`)

describe('tables', () => {
  test('are written by their owner, and by features with a recorded reason', () => {
    expect(writes.length).toBeGreaterThan(80)
    expect(foreign(writes)).toEqual([])
  })

  test.each(['insert into sessions (id)', 'update members set x', 'delete from audit_log'])(
    'a planted %s in a foreign folder is found',
    (statement) => {
      const planted = writesIn('features/blocks', `sql\`${statement} values\``)
      expect(foreign([...writes, ...planted])).toEqual(planted)
      expect(planted).toHaveLength(1)
    },
  )

  test('have an owner each, and no unused exception', () => {
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
