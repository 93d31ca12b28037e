import { readFileSync } from 'node:fs'
import { errors } from '@rolecall/contract'
import { expect, test } from 'vitest'
import { titles } from '../packages/sdk/src/problem.ts'

const page = readFileSync(new URL('../docs/guides/errors.md', import.meta.url), 'utf8')
/** The cells of the rows that begin with a code. */
const rows = [...page.matchAll(/^\| (`[A-Z_]+` \|.*) \|$/gm)].map(([, cells = '']) =>
  cells.split(' | ').map((cell) => cell.replaceAll('`', '').trim()),
)

test('docs/guides/errors.md has a row for every code of the client and of an app, with what it says', () => {
  const said = Object.fromEntries(
    rows.filter(({ length }) => length === 4).map(([code, , title]) => [code, title]),
  )
  expect(said).toEqual(titles)
  const ofClient = rows.filter(({ length }) => length === 3).map(([code]) => code)
  expect(ofClient).toEqual(['NETWORK_ERROR', 'TIMEOUT', 'UNEXPECTED_RESPONSE'])
  expect(rows.filter((cells) => (cells.at(-1) ?? '').length < 10)).toEqual([])
})

test('and names codes of the service that there are', () => {
  const named = [...page.matchAll(/errors\.md#(\w+)\)/g)].map(([, anchor = '']) => anchor.toUpperCase())
  expect(named.length).toBeGreaterThan(4)
  expect(named.filter((code) => !(code in errors))).toEqual([])
})
