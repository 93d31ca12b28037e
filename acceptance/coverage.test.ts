import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { endpoints } from '@rolecall/contract'
import { expect, test } from 'vitest'

const root = new URL('..', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** The rows of COVERAGE.md: a requirement of the specification, the file, and the title of the test in it. */
const rows = [
  ...read('acceptance/COVERAGE.md').matchAll(/^\| (.+) \| `([\w./-]+\.test\.ts)` \| (.+) \|$/gm),
].map(([, says = '', file = '', title = '']) => ({ says, file, title }))

/** Returns the titles as the source contains them, between quotes. */
const titlesOf = (file: string) =>
  new Set(
    [...read(file).matchAll(/\btest(?:\.each\((?:\w+|\[[\s\S]*?\])\))?\(\s*(['"`])(.+?)\1,/g)].map(
      ([, , title]) => title,
    ),
  )

test('each row of COVERAGE.md names a test that is there', () => {
  expect(rows.length).toBeGreaterThan(100)
  const missing = rows.filter(
    ({ file, title }) => !existsSync(fileURLToPath(new URL(file, root))) || !titlesOf(file).has(title),
  )
  expect(missing).toEqual([])
})

test('each endpoint in COVERAGE.md is one of the contract, and every one of its chapters is there', () => {
  const known = new Set(endpoints.map(({ method, path }) => `${method} ${path}`))
  const named = rows.flatMap(({ says }) => /^((?:GET|POST|PUT|PATCH|DELETE) \/[^\s:]*)/.exec(says)?.[1] ?? [])
  expect(named.filter((one) => !known.has(one))).toEqual([])
  expect(new Set(named).size).toBeGreaterThan(40)
})

test('each test of acceptance/api has a row', () => {
  const held = new Set(rows.map(({ file, title }) => `${file}: ${title}`))
  const files = readdirSync(new URL('acceptance/api', root)).filter((name) => name.endsWith('.test.ts'))
  const titles = files.flatMap((name) =>
    [...titlesOf(`acceptance/api/${name}`)].map((title) => `acceptance/api/${name}: ${title}`),
  )
  expect(titles.length).toBeGreaterThan(70)
  expect(titles.filter((one) => !held.has(one))).toEqual([])
})
