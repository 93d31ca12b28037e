import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Variable, variables } from '../apps/api/src/config.ts'
import type { Database } from '../apps/api/src/platform/db/database.ts'
import { openDatabase } from '../apps/api/src/platform/db/open-database.ts'
import { createDatabase, type TestDatabase } from '../apps/api/test/databases.ts'
import { consoleGuide } from './generate-console.ts'
import { faultsReference } from './generate-faults.ts'
import { figuresReference } from './generate-figures.ts'
import { pythonModels } from './generate-python.ts'
import {
  apiReference,
  configurationReference,
  errorReference,
  grantReference,
  withGenerated,
} from './generate-reference.ts'
import { schemaReference } from './generate-schema.ts'
import { adminTypes } from './sdk/print-admin-types.ts'
import { contractTypes } from './sdk/print-types.ts'

// `npm run docs` runs these with --update, which writes the pages instead of comparing them.

test.each([
  ['docs/reference/api.md', apiReference],
  ['docs/reference/errors.md', errorReference],
  ['docs/reference/grants.md', grantReference],
  ['docs/reference/configuration.md', configurationReference],
  ['docs/reference/figures.md', figuresReference],
  ['docs/reference/faults.md', faultsReference],
  ['docs/guides/console.md', consoleGuide],
  ['packages/sdk/src/contract-types.ts', contractTypes],
  ['packages/sdk/src/admin-types.ts', adminTypes],
  ['clients/python/src/rolecall/models.py', pythonModels],
])('%s says what the sources say', async (page, make) => {
  await expect(make()).toMatchFileSnapshot(`../${page}`)
})

test('the configuration and the figures in README.md say what the sources and the runs say', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  await expect(withGenerated(readme)).toMatchFileSnapshot('../README.md')
})

test('the .env of README.md has a line for everything that production needs', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, file = ''] = /^ *```ini\n([\s\S]*?)^ *```$/m.exec(readme) ?? []
  const needed = Object.values(variables).flatMap(({ name, required }: Variable) => (required ? [name] : []))
  expect([...file.matchAll(/^ *(\w+)=/gm)].map(([, name]) => name).toSorted()).toEqual(needed.toSorted())
})

describe('docs/reference/schema.md', () => {
  let stored: TestDatabase
  let db: Database
  beforeAll(async () => {
    stored = await createDatabase('postgres')
    db = await openDatabase(stored.url)
  })
  afterAll(async () => {
    await db.close()
    await stored.drop()
  })

  test('says what a migrated database says', async () => {
    await expect(await schemaReference(db)).toMatchFileSnapshot('../docs/reference/schema.md')
  })

  test.each([
    [
      'create trigger members_again after insert on members for each row execute function rename_memberships()',
      'The trigger members_again, or its function, has no comment.',
    ],
    ['create table boats (id int)', 'The table boats has no comment.'],
    ['create view boats as select 1 as id', 'The view boats has no comment.'],
    [`create function boats() returns int language sql as 'select 1'`, 'The function boats has no comment.'],
    [
      'alter table settings rename to boats',
      'A migration creates settings, and the database does not have it.',
    ],
  ])('is refused after: %s', async (statement, problem) => {
    await expect(
      db.transaction(async (tx) => {
        await tx.script(statement)
        await schemaReference(tx)
      }),
    ).rejects.toThrow(new Error(problem))
  })
})
