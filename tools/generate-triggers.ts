import type { Queryable } from '../apps/api/src/platform/db/database.ts'
import { sql } from '../apps/api/src/platform/db/sql.ts'
import { generated, table } from './pages.ts'

interface Trigger {
  readonly table: string
  readonly name: string
  readonly definition: string
  /** The comment on the function. */
  readonly effect: string | null
  /** The comment on the trigger. */
  readonly why: string | null
}

/** `docs/reference/triggers.md`: every trigger of a migrated database. */
export async function triggerReference(db: Queryable): Promise<string> {
  const triggers = await db.query<Trigger>(sql`
    select c.relname::text as "table", t.tgname::text as name, pg_get_triggerdef(t.oid, true) as definition,
      obj_description(t.tgfoid, 'pg_proc') as effect, obj_description(t.oid, 'pg_trigger') as why
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal
    order by c.relname collate "C", t.tgname collate "C"`)
  const tables = [...new Set(triggers.map((one) => one.table))]
  return `${generated}
# Triggers

What the database does by itself, in the transaction of a change, whoever makes it: ${triggers.length} triggers on ${tables.length} tables. A rule that
one file of the sources can hold is in that file. What is here guards (append-only tables), tells (the outbox of events
and the change log of [answers from memory](../decisions/0030-leases.md), which no writer may forget), or keeps columns that
depend on other rows. The migration that makes a trigger says why, in \`comment on trigger\`; a trigger without that fails a test.
${tables.map((name) => `\n## ${name}\n\n${triggerTable(triggers.filter((one) => one.table === name))}`).join('')}`
}

const triggerTable = (triggers: readonly Trigger[]): string =>
  table(
    ['Trigger', 'When', 'What it does', 'Why'],
    triggers.map((one) => [
      `\`${one.name}\``,
      occasion(one),
      commented(one, one.effect),
      commented(one, one.why),
    ]),
  )

function commented({ name }: Trigger, comment: string | null): string {
  if (!comment) throw new Error(`The trigger ${name} has no comment, or its function has none.`)
  return comment
}

const parts =
  /^CREATE TRIGGER \w+ (?<event>.+) ON \S+(?: REFERENCING .+?)? FOR EACH (?<level>ROW|STATEMENT)(?: WHEN \((?<condition>.+)\))? EXECUTE FUNCTION \w+\((?<argument>.*)\)$/

/** The event, how often it fires, and under which condition; with what the function is called, where that is something. */
function occasion({ name, definition }: Trigger): string {
  const found = parts.exec(definition)?.groups
  if (!found) throw new Error(`The definition of the trigger ${name} cannot be read: ${definition}`)
  const { event = '', level = '', condition, argument } = found
  return [
    `${event.toLowerCase()}, each ${level.toLowerCase()}`,
    condition && ` where ${inWords(condition)}`,
    argument && `, with \`${argument}\``,
  ]
    .filter(Boolean)
    .join('')
}

/** Columns that changed, by name; any other condition as it is. */
function inWords(condition: string): string {
  const columns = condition.split(' OR ').map((one) => /^old\.(\w+) IS DISTINCT FROM new\.\1$/.exec(one)?.[1])
  const known = columns.filter((column) => column !== undefined)
  if (known.length < columns.length) return `\`${condition}\``
  const last = known.length > 1 ? ` or \`${known.pop()}\`` : ''
  return `${known.map((column) => `\`${column}\``).join(', ')}${last} changed`
}
