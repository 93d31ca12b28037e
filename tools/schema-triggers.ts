import { table } from './pages.ts'
import type { Trigger } from './schema-catalog.ts'

/** Returns the triggers of a table as Markdown rows: when each runs, what it does, and why it exists. */
export const triggerTable = (triggers: readonly Trigger[]): string =>
  table(
    ['Trigger', 'When', 'What it does', 'Why'],
    triggers.map((one) => [`\`${one.name}\``, occasion(one), one.effect ?? '', one.why ?? '']),
  )

const parts =
  /^CREATE TRIGGER \w+ (?<event>.+) ON \S+(?: REFERENCING .+?)? FOR EACH (?<level>ROW|STATEMENT)(?: WHEN \((?<condition>.+)\))? EXECUTE FUNCTION \w+\((?<argument>.*)\)$/

/** Describes when a trigger runs: the event, how often, under which condition, and with which argument. */
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

/** Returns a condition in words. If it only compares columns, lists those. Returns any other condition unchanged. */
function inWords(condition: string): string {
  const columns = condition.split(' OR ').map((one) => /^old\.(\w+) IS DISTINCT FROM new\.\1$/.exec(one)?.[1])
  const known = columns.filter((column) => column !== undefined)
  if (known.length < columns.length) return `\`${condition}\``
  const last = known.length > 1 ? ` or \`${known.pop()}\`` : ''
  return `${known.map((column) => `\`${column}\``).join(', ')}${last} changed`
}
