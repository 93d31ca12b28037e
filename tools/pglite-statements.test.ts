import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, test } from 'vitest'
import { contains, readSqlTemplates } from './sql-templates.ts'

/** Statements that no test runs on PGlite, by file or by file and declaration, with the reason. */
const elsewhere: Readonly<Record<string, string>> = {
  'cli/doctor/database-clock.ts':
    'doctor-storage.test.ts runs it on both engines, on a database that doctor opens itself',
  'cli/doctor/storage.ts': 'cli.test.ts runs it, in a process of its own',
  'features/monitoring/instances-store.ts writeMebibyte':
    'doctor-storage.test.ts runs it on both engines, on a database that doctor opens itself',
  'platform/db/migrate.ts': 'migrate.test.ts runs it, and the start of every run',
  ...Object.fromEntries(
    [
      'addUnknownHolder',
      'deleteOverdueLease',
      'insertLease',
      'renewal',
      'renewedRow',
      'acknowledge',
      'deleteLease',
    ].map((name) => [
      `session-memory/change-log-store.ts ${name}`,
      'leases are for several processes: PGlite has one',
    ]),
  ),
  'session-memory/change-log-store.ts trimChanges': 'only a process that has run for minutes trims',
  'features/restored/store.ts markRestored': 'restore.test.ts runs it, in a process of its own',
  'features/webhooks/ingest-store.ts findFirst': 'two connections race: PGlite has one',
  'features/webhooks/ingest-store.ts dropMark': 'two connections race: PGlite has one',
}

const source = fileURLToPath(new URL('../apps/api/src', import.meta.url))
const templates = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?<!\.test)\.ts$/.test(name))
  .flatMap((name) => {
    const text = readFileSync(join(source, name), 'utf8')
    return readSqlTemplates(text).map((template) => ({
      ...template,
      name,
      in: declarationAt(text, template),
    }))
  })

/** Returns the name of the declaration that contains a template. */
function declarationAt(text: string, { line }: { line: number }): string {
  const before = text.split('\n').slice(0, line)
  const names = before.map((one) => /^(?:export )?(?:async )?(?:const|function\*?) (\w+)/.exec(one)?.[1])
  return names.findLast((one) => one !== undefined) ?? ''
}

const folder = inject('statementsFolder')
const statements = readdirSync(folder)
  .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
  .map((line) => String(JSON.parse(line)).replace(/\s+/g, ' '))

/** Lists the statements that were not run, except those that are known to run elsewhere. */
const missingFrom = (all: typeof templates) =>
  all
    .filter((template) => !elsewhere[template.name] && !elsewhere[`${template.name} ${template.in}`])
    .filter((template) => !statements.some((statement) => contains(statement, template)))
    .map(({ name, in: declaration, line }) => `${name} ${declaration}, line ${line}`)

// Runs after all others. Endpoint tests run only on PostgreSQL, and this test shows why that is enough.
describe('every statement in the sources of the service', () => {
  test('is found, those within others too', () => {
    expect(templates.length).toBeGreaterThan(250)
    const nested = 'sql`a #{x ? sql`b #{`c`}` : { y: "}" }} d`'.replaceAll('#', '$')
    expect(readSqlTemplates(nested)).toEqual([
      { line: 1, parts: ['b', ''] },
      { line: 1, parts: ['a', 'd'] },
    ])
  })

  test('is run on PGlite by the whole suite', () => {
    expect(inject('isWholeRun') ? missingFrom(templates) : []).toEqual([])
  })

  test('a planted statement that no test runs is missed', () => {
    const [planted] = readSqlTemplates('const planted = sql`select 1 as never_run_by_any_test`')
    const named = { line: 1, parts: planted?.parts ?? [], name: 'planted.ts', in: 'planted' }
    expect(missingFrom([named])).toEqual(['planted.ts planted, line 1'])
  })
})
