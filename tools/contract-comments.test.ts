import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('../packages/contract/src/', import.meta.url)

/** Exports of a file without a comment above them. The type of a schema has its schema's comment. */
function uncommented(file: string): string[] {
  const lines = readFileSync(new URL(file, folder), 'utf8').split('\n')
  return lines.flatMap((line, index) => {
    const [, kind, name] = /^export (?:declare )?(const|function|interface|type|class) (\w+)/.exec(line) ?? []
    if (name === undefined || (kind === 'type' && line.endsWith(`Static<typeof ${name}>`))) return []
    return /\*\/$/.test(lines[index - 1] ?? '') ? [] : [`${file}: ${name}`]
  })
}

test('everything that the contract exports says what it is', () => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(20)
  expect(files.flatMap(uncommented)).toEqual([])
})
