import type { Tx } from '#platform/db/database'
import type { Sql } from '#platform/db/sql'

const raw = (text: string): Sql => ({ text, values: [] })

/** SQL expressions for a different value of a column, by type. */
const changedValueOf: Readonly<Record<string, (column: string) => string>> = {
  text: (column) => `coalesce(${column}, '') || 'x'`,
  boolean: (column) => `not coalesce(${column}, false)`,
  integer: (column) => `coalesce(${column}, 0) + 1`,
  uuid: () => 'gen_random_uuid()',
  'text[]': (column) => `array_append(${column}, 'x')`,
  'timestamp with time zone': (column) => `coalesce(${column}, clock_now()) + interval '1 day'`,
  jsonb: (column) => `coalesce(${column}, '{}') || '{"x": "y"}'`,
  xid8: (column) => `(${column}::text::bigint + 1)::text::xid8`,
}

interface Column {
  readonly table: string
  readonly column: string
  readonly type: string
}

/**
 * Lists the stored columns that a statement reads, including through views and in conditions. Creates a view from the
 * statement, and reads the dependencies of the view from the catalog.
 */
async function columnsReadBy(tx: Tx, statement: Sql): Promise<readonly Column[]> {
  await tx.execute(raw(`create temp view read_here as ${statement.text.replaceAll(/\$\d+/g, 'null')}`))
  const columns = await tx.query<Column>(
    raw(`
    with recursive used (relation, number) as (
      select d.refobjid, d.refobjsubid from pg_rewrite r join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
      where r.ev_class = 'read_here'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0
      union
      select d.refobjid, d.refobjsubid
      from used join pg_rewrite r on r.ev_class = used.relation
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
      where d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0)
    select c.relname::text as "table", a.attname::text as "column", format_type(a.atttypid, null) as type
    from used join pg_class c on c.oid = used.relation and c.relkind = 'r'
    join pg_attribute a on a.attrelid = c.oid and a.attnum = used.number
    -- Primary keys do not change.
    where not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary and a.attnum = any(i.indkey))
    order by 1, 2`),
  )
  await tx.execute(raw('drop view read_here'))
  return columns
}

/** Drops foreign keys, checks, and unique indexes, so that a test can write any value. */
export async function dropConstraints(tx: Tx): Promise<void> {
  const drops = await tx.query<{ text: string }>(
    raw(`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as text
    from pg_constraint where contype in ('f', 'c') and connamespace = 'public'::regnamespace
    union all
    select format('drop index %s', i.indexrelid::regclass) from pg_index i join pg_class c on c.oid = i.indrelid
    where i.indisunique and not i.indisprimary and c.relnamespace = 'public'::regnamespace
      and not exists (select from pg_constraint o where o.conindid = i.indexrelid)`),
  )
  for (const { text } of drops) await tx.execute(raw(text))
}

/**
 * Lists the columns that the statements read and that no trigger watches. Each column is changed, and then `noticed`
 * must return a row. Every table needs at least one row.
 */
export async function columnsUnwatched(
  tx: Tx,
  statements: readonly Sql[],
  noticed: string,
): Promise<{ readonly read: readonly string[]; readonly unwatched: readonly string[] }> {
  const read = new Map<string, Column>()
  for (const statement of statements)
    for (const one of await columnsReadBy(tx, statement)) read.set(`${one.table}.${one.column}`, one)
  const unwatched: string[] = []
  for (const [name, { table, column, type }] of read) {
    const value = changedValueOf[type]?.(column)
    if (value === undefined) throw new Error(`changedValueOf lacks the type ${type} of ${name}.`)
    await tx.execute(raw('savepoint before_change'))
    const changed = await tx.execute(raw(`update ${table} set ${column} = ${value}`))
    if (changed === 0) throw new Error(`${table} has no row in which ${column} can be changed.`)
    const isNoticed = (await tx.maybeOne(raw(`${noticed} limit 1`))) !== undefined
    await tx.execute(raw('rollback to savepoint before_change'))
    if (!isNoticed) unwatched.push(name)
  }
  return { read: [...read.keys()], unwatched }
}
