import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { questions } from './questions.ts'
import { addressOf } from './src/page.ts'
import { type Hit, openIndex } from './src/search.ts'
import { makeSite, readSources } from './src/site.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('the search', () => {
  let search: (query: string) => readonly Hit[]
  let paths: ReadonlySet<string>
  beforeAll(async () => {
    const { files, index } = await makeSite(root, readSources(root))
    paths = new Set(files.keys())
    search = openIndex(index)
  })

  const pageOf = ({ address }: Hit) => address.split('#', 1)[0] ?? ''

  test('finds the right page among the first three for 36 of 40 questions', () => {
    expect(questions).toHaveLength(40)
    const missed = questions.flatMap(([asked, ...sources]) => {
      const right = sources.map(addressOf)
      const first = search(asked).slice(0, 3).map(pageOf)
      return first.some((path) => right.includes(path)) ? [] : [{ asked, first }]
    })
    expect(missed.length, JSON.stringify(missed, null, 2)).toBeLessThanOrEqual(4)
  })

  test('is asked for pages that exist', () => {
    const named = questions.flatMap(([, ...sources]) => sources)
    expect(named.filter((source) => !paths.has(addressOf(source)))).toEqual([])
  })

  test.each([
    ['INVALID_CODE', 'reference/errors.html#invalid_code'],
    ['exchangeCode', 'reference/api/exchangeCode.html'],
    ['SESSION_TTL_SEC', 'reference/configuration.html#sessions'],
    ['RolecallQueueStuck', 'runbooks/RolecallQueueStuck.html'],
  ])('finds the name %s as it is written', (name, address) => {
    expect(
      search(name)
        .slice(0, 3)
        .map((hit) => hit.address),
    ).toContain(address)
  })

  test('forgives a typing mistake and an unfinished word', () => {
    expect(search('kuberentes').map(pageOf)).toContain('guides/installing.html')
    expect(search('kuber').map(pageOf)).toContain('guides/installing.html')
  })

  test('finds nothing for words that no page has', () => {
    expect(search('qzxvw')).toEqual([])
    expect(search('')).toEqual([])
  })
})
