import { readFileSync } from 'node:fs'
import { errors } from '@rolecall/contract'
import { expect, test } from 'vitest'
import { titles } from '../packages/sdk/src/problem.ts'

const page = readFileSync(new URL('../docs/guides/errors.md', import.meta.url), 'utf8')
/** Reads the cells of the rows that begin with a code. */
const rowsIn = (text: string) =>
  [...text.matchAll(/^\| (?:<a id="\w+"><\/a>)?(`[A-Z_]+` \|.*) \|$/gm)].map(([, cells = '']) =>
    cells.split(' | ').map((cell) => cell.replaceAll('`', '').trim()),
  )

const titlesIn = (text: string) =>
  Object.fromEntries(
    rowsIn(text)
      .filter(({ length }) => length === 4)
      .map(([code, , title]) => [code, title]),
  )

/** Lists the links to errors of the service that are not in the contract. */
const unknownErrors = (text: string) =>
  [...text.matchAll(/errors\.md#(\w+)\)/g)]
    .map(([, anchor = '']) => anchor.toUpperCase())
    .filter((code) => !(code in errors))

test('docs/guides/errors.md has a row for every code of the client and of an app, with its title', () => {
  expect(titlesIn(page)).toEqual(titles)
  const rows = rowsIn(page)
  const ofClient = rows.filter(({ length }) => length === 3).map(([code]) => code)
  expect(ofClient).toEqual(['NETWORK_ERROR', 'TIMEOUT', 'UNEXPECTED_RESPONSE'])
  expect(rows.filter((cells) => (cells.at(-1) ?? '').length < 10)).toEqual([])
})

test('and names codes of the service that exist', () => {
  expect([...page.matchAll(/errors\.md#\w+\)/g)].length).toBeGreaterThan(4)
  expect(unknownErrors(page)).toEqual([])
})

test('a planted row, a missing row, and a planted link are found', () => {
  const planted = `${page}\n| \`PLANTED\` | 400 | A title | What to do about it. |\n[x](errors.md#planted)\n`
  expect(titlesIn(planted)).toEqual({ ...titles, PLANTED: 'A title' })
  expect(unknownErrors(planted)).toEqual(['PLANTED'])
  const [code = ''] = Object.keys(titles)
  expect(titlesIn(page.replaceAll(`</a>\`${code}\``, '</a>gone'))).not.toHaveProperty(code)
})
