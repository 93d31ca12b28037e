import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type CompatibilityRecord, readRecords, recordsWithoutRun } from './compatibility.ts'
import { isNotRun } from './generate-compatibility.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const programs = 'docs/guides/programs'
const records = readRecords()

/** Returns a test with the files beside it, which name the programs. */
function sourcesOf(file: string): string {
  if (!existsSync(join(root, file))) return ''
  const parts = join(dirname(file), 'relying-parties')
  const beside = readdirSync(join(root, parts)).map((name) => join(parts, name))
  return [file, ...beside].map((path) => readFileSync(join(root, path), 'utf8')).join('\n')
}

/** Lists pages of programs that were neither run nor say so. */
const pagesWithoutRun = (pages: readonly (readonly [path: string, text: string])[]) =>
  pages.flatMap(([path, text]) =>
    isNotRun(text) === records.some(({ guide }) => guide === path) ? [path] : [],
  )

describe('docs/reference/compatibility.json', () => {
  test('claims nothing without a run', () => {
    expect(records.length).toBeGreaterThan(5)
    expect(recordsWithoutRun(records, sourcesOf)).toEqual([])
    for (const { guide } of records) expect(existsSync(join(root, guide)), guide).toBe(true)
  })

  test('a planted claim without a run is found', () => {
    const [first] = records as [CompatibilityRecord]
    const planted = [
      { ...first, program: 'Planted' },
      { ...first, test: { ...first.test, title: 'works' + ' always' } },
      { ...first, test: { ...first.test, file: 'planted.test.ts' } },
    ]
    for (const one of planted) expect(recordsWithoutRun([one], sourcesOf).join()).toContain(one.program)
  })

  test('each page of a program has a record, or says that it was not run', () => {
    const pages = readdirSync(join(root, programs))
      .filter((name) => name !== 'README.md')
      .map((name) => [`${programs}/${name}`, readFileSync(join(root, programs, name), 'utf8')] as const)
    expect(pagesWithoutRun(pages)).toEqual([])
    const planted = [`${programs}/planted.md`, '# Planted'] as const
    expect(pagesWithoutRun([planted])).toEqual([planted[0]])
  })
})
