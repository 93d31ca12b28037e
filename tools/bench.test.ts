import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Result } from '../bench/src/results.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const scripts = ['package.json', 'bench/package.json'].flatMap((file) =>
  Object.values<string>(JSON.parse(read(file)).scripts),
)
const programs = new Set(
  scripts.flatMap((script) => /(?:bench\/)?dist\/([\w-]+)\.js/.exec(script)?.[1] ?? []),
)

test.each([...programs])(
  '%s says with --help what it does and what it takes, before it does anything',
  (program) => {
    const source = read(`bench/src/${program}.ts`)
    const at = source.indexOf('\nhelp(`\nnpm run ')
    expect(at).toBeGreaterThan(0)
    // Only imports precede this call.
    expect(
      source
        .slice(0, at)
        .replace(/import [^;]*? from '[^']+'\n/g, '')
        .trim(),
    ).toBe('')
    const told = source.slice(at, source.indexOf('`)', at))
    const variables = [...source.matchAll(/(?:process\.env\['|numbers\(')([A-Z_]+)'/g)].map(
      ([, name]) => name,
    )
    expect(variables.filter((name) => !told.includes(`  ${name} `))).toEqual([])
  },
)

const results = readdirSync(new URL('../bench/results/', import.meta.url)).filter((name) =>
  name.endsWith('.json'),
)

test.each(results)(
  '%s says when, where and with what it was measured, and has a value in each cell',
  (file) => {
    const result: Result = JSON.parse(read(`bench/results/${file}`))
    expect(result.date).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
    expect(result.command).toMatch(/npm run (bench|soak|faults|strict|\w+ -w bench)/)
    expect(result.machine).toMatch(/ × /)
    expect(result.versions['node']).toBeDefined()
    expect(Object.values(result.versions)).not.toContain('unknown')
    const empty = result.tables.flatMap(({ title, columns, rows }) =>
      rows.flatMap((row) =>
        columns
          .filter(({ key }) => row[key] === null || row[key] === undefined)
          .map(({ key }) => `${title}: ${key}`),
      ),
    )
    expect(empty).toEqual([])
  },
)
