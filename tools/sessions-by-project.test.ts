import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { withoutProject } from './sessions-by-project.ts'
import { readSqlTemplates } from './sql-templates.ts'

const source = fileURLToPath(new URL('../apps/api/src', import.meta.url))

/** Matches statements that read or write a session, a used pair, or a code. */
const touches =
  /\b(from|join|update|into|using) (sessions|live_sessions|spent_tokens|authorization_codes|oidc_sessions)\b/

/**
 * Matches a value for the project of the row itself. A joined row of another table would determine the partition too
 * late.
 */
const names = /\bproject_id (=|is not distinct from)$/
const inserts = /\binto (sessions|authorization_codes|oidc_sessions) \([^)]*\bproject_id\b/

const statementsIn = (name: string, text: string) =>
  readSqlTemplates(text)
    .filter(({ parts }) => touches.test(parts.join(' ')))
    .map((template) => ({ ...template, key: `${name} ${declarationAt(text, template.line)}` }))

const statements = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?<!\.test)\.ts$/.test(name))
  .flatMap((name) => statementsIn(name, readFileSync(join(source, name), 'utf8')))

/** Returns the name of the declaration or entry that contains a template. */
function declarationAt(text: string, line: number): string {
  const before = text.split('\n').slice(0, line)
  const found = before.map((one) =>
    /^(?:(?:export )?(?:async )?(?:const|function\*?) (\w+)| {2}(\w+): sql)/.exec(one),
  )
  const last = found.findLast((one) => one !== null)
  return last?.[1] ?? last?.[2] ?? ''
}

const carries = ({ parts }: { readonly parts: readonly string[] }) =>
  parts.some((part) => names.test(part)) || inserts.test(parts.join(' '))

describe('every statement on sessions, used pairs and codes', () => {
  test('names the project, or stands in the list of those that do not', () => {
    expect(statements.length).toBeGreaterThan(35)
    const without = [...new Set(statements.filter((one) => !carries(one)).map(({ key }) => key))]
    expect(without.sort()).toEqual(Object.keys(withoutProject).sort())
  })

  test('a planted statement without the project is found', () => {
    const [planted] = statementsIn('planted.ts', 'const end = sql`update sessions set x = 1 where id = 2`')
    expect(planted?.key).toBe('planted.ts end')
    expect(planted && carries(planted)).toBe(false)
  })
})
