import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { type ErrorDefinition, endpoints, errors } from '@rolecall/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Variable, variables } from '../apps/api/src/config.ts'
import type { Database } from '../apps/api/src/platform/db/database.ts'
import { openDatabase } from '../apps/api/src/platform/db/open-database.ts'
import { createDatabase, type TestDatabase } from '../apps/api/test/databases.ts'
import { compatibilityReference } from './generate-compatibility.ts'
import { consoleGuide } from './generate-console.ts'
import { eventReference } from './generate-events.ts'
import { faultsReference } from './generate-faults.ts'
import { figuresReference } from './generate-figures.ts'
import {
  apiIndex,
  apiReference,
  configurationReference,
  errorReference,
  grantReference,
  withGenerated,
} from './generate-reference.ts'
import { schemaReference } from './generate-schema.ts'

// `npm run docs` runs these with --update, which writes the pages instead of comparing them.

test.each([
  ['docs/reference/api.md', apiIndex],
  ['docs/reference/errors.md', errorReference],
  ['docs/reference/events.md', eventReference],
  ['docs/reference/grants.md', grantReference],
  ['docs/reference/configuration.md', configurationReference],
  ['docs/reference/figures.md', figuresReference],
  ['docs/reference/faults.md', faultsReference],
  ['docs/reference/compatibility.md', compatibilityReference],
  ['docs/guides/console.md', consoleGuide],
])('%s says what the sources say', async (page, make) => {
  await expect(make()).toMatchFileSnapshot(`../${page}`)
})

test('the figures in README.md say what the runs say', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  await expect(withGenerated(readme)).toMatchFileSnapshot('../README.md')
})

test('the .env of the guide to Discord has a line for everything that production needs', () => {
  const guide = readFileSync(new URL('../docs/guides/discord.md', import.meta.url), 'utf8')
  const [, file = ''] = /^ *```ini\n([\s\S]*?)^ *```$/m.exec(guide) ?? []
  const needed = Object.values(variables).flatMap(({ name, required }: Variable) => (required ? [name] : []))
  expect([...file.matchAll(/^ *(\w+)=/gm)].map(([, name]) => name).toSorted()).toEqual(needed.toSorted())
})

test('docs/reference/cli.md has each command and option of the service', () => {
  const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
  const page = read('docs/reference/cli.md')
  const program = read('apps/api/src/main.ts') + read('apps/api/src/cli/login/commands.ts')
  const named = [...program.matchAll(/(?:command|[oO]ption)\('(?:--)?([\w-]+)/g)].map(([, name = '']) => name)
  expect(named).toEqual(expect.arrayContaining(['serve', 'verify', 'redirect-uri', 'paste']))
  expect(named.filter((name) => !new RegExp(`[\`\\- ]${name}[\` ]`).test(page))).toEqual([])
})

test('the guides of the errors exist, with their sections', () => {
  const guides = Object.values<ErrorDefinition>(errors).flatMap(({ guides: all = {} }) => Object.values(all))
  expect(guides.length).toBeGreaterThan(50)
  const isMissing = (guide: string) => {
    const [path = '', anchor] = guide.split('#')
    const page = new URL(`../docs/${path}`, import.meta.url)
    return !existsSync(page) || (anchor !== undefined && !anchorsOf(readFileSync(page, 'utf8')).has(anchor))
  }
  expect(guides.filter(isMissing)).toEqual([])
})

/** Lists the anchors of a page, as GitHub and the site create them from its headings. */
const anchorsOf = (text: string) =>
  new Set([
    ...[...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ),
    ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id),
  ])

describe('docs/dist/api.md', () => {
  const root = new URL('../', import.meta.url)
  const page = 'docs/dist/api.md'

  // The page is written even without --update, because it is not committed and cannot be stale.
  beforeAll(() => {
    mkdirSync(new URL('docs/dist', root), { recursive: true })
    writeFileSync(new URL(page, root), apiReference())
  })

  test('and all other pages link only to existing parts of the reference', () => {
    const pages = readdirSync(new URL('docs', root), { encoding: 'utf8', recursive: true })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`)
    const texts = new Map([
      ...['README.md', ...pages].map((path) => [path, readFileSync(new URL(path, root), 'utf8')] as const),
      // Generated pages are read from their generators, in case the files are stale.
      ['docs/reference/api.md', apiIndex()],
      ['docs/reference/errors.md', errorReference()],
      ['docs/reference/grants.md', grantReference()],
    ])
    const links = [...texts].flatMap(([from, text]) =>
      [...text.matchAll(/\]\((?!https?:)([^)\s#]*)#([^)\s]+)\)/g)].map(([, path, anchor = '']) => ({
        from,
        to: path ? posix.join(posix.dirname(from), path) : from,
        anchor,
      })),
    )
    const reference = links.filter(({ to }) =>
      /^docs\/(reference\/(api|errors|grants)|dist\/api)\.md$/.test(to),
    )
    expect(reference.filter(({ from }) => from === page).length).toBeGreaterThan(endpoints.length)
    expect(reference.filter(({ to, anchor }) => !anchorsOf(texts.get(to) ?? '').has(anchor))).toEqual([])
  })
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
  ])('cannot be generated after: %s', async (statement, problem) => {
    await expect(
      db.transaction(async (tx) => {
        await tx.script(statement)
        await schemaReference(tx)
      }),
    ).rejects.toThrow(new Error(problem))
  })
})
