import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, test } from 'vitest'
import { contains, readSqlTemplates } from './sql-templates.ts'

/** Files whose statements no service runs, and what runs them on both engines instead. */
const elsewhere: Readonly<Record<string, string>> = {}

const source = fileURLToPath(new URL('../apps/api/src', import.meta.url))
const templates = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?<!\.test)\.ts$/.test(name) && !elsewhere[name])
  .flatMap((name) =>
    readSqlTemplates(readFileSync(join(source, name), 'utf8')).map((template) => ({ name, ...template })),
  )

const folder = inject('statementsFolder')
const statements = readdirSync(folder)
  .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
  .map((line) => String(JSON.parse(line)).replace(/\s+/g, ' '))

// Runs after all others. Endpoint tests run on PostgreSQL alone: this is why that is enough.
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
    const missing = templates
      .filter((template) => !statements.some((statement) => contains(statement, template)))
      .map(({ name, line }) => `${name}:${line}`)
    expect(inject('isWholeRun') ? missing : []).toEqual([])
  })
})
