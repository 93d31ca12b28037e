import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('../packages/contract/src/', import.meta.url)
const files = readdirSync(folder).filter((file) => file.endsWith('.ts'))

/** Lists the exports of a file without a comment above them. Re-exports have their comment in the other file. */
function uncommented(file: string, text = readFileSync(new URL(file, folder), 'utf8')): string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    const rest = lines.slice(index).join(' ')
    if (!line.startsWith('export ') || /^export (type )?(\* |\{[^}]*\} )(as \w+ )?from /.test(rest)) return []
    const [, name = line] =
      /^export (?:(?:declare|default|async|abstract|const) )*\w+\*? (\w+)/.exec(line) ?? []
    // The type of a schema has its schema's comment.
    if (line.endsWith(`Static<typeof ${name}>`)) return []
    return /\*\/$/.test(lines[index - 1] ?? '') ? [] : [`${file}: ${name}`]
  })
}

/** Returns the comment and the refusals of each endpoint, by name. */
function endpointsOf(text: string) {
  const found = text.matchAll(
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const (\w+) = endpoint\(\{([\s\S]*?)\n\}\)/g,
  )
  return new Map(
    [...found].map(([, comment = '', name = '', body = '']) => {
      const [, refuses = ''] = /\n {2}refuses: \[([\s\S]*?)\]/.exec(body) ?? []
      return [name, { comment, codes: [...refuses.matchAll(/\w+/g)].map(([code]) => code) }]
    }),
  )
}

test('an endpoint’s comment names what it refuses with, or the endpoint that it is like', () => {
  const endpoints = new Map(texts.flatMap((text) => [...endpointsOf(text)]))
  expect(endpoints.size).toBeGreaterThan(70)
  expect(unnamedIn(texts)).toEqual([])
})

const texts = files.map((file) => readFileSync(new URL(file, folder), 'utf8'))

/** Lists the refusals that the comment of their endpoint does not name. */
function unnamedIn(sources: readonly string[]): string[] {
  const endpoints = new Map(sources.flatMap((text) => [...endpointsOf(text)]))
  return [...endpoints].flatMap(([name, { comment, codes }]) => {
    const [, like = ''] = /As `(\w+)`/.exec(comment) ?? []
    const told = `${comment} ${endpoints.get(like)?.comment}`
    // Every endpoint is limited.
    return codes
      .filter((code) => code !== 'RATE_LIMITED' && !told.includes(code))
      .map((code) => `${name}: ${code}`)
  })
}

test('a planted refusal that no comment names, and a planted export without a comment, are found', () => {
  const endpoint = "/** Reads it. */\nexport const planted = endpoint({\n  refuses: ['NOT_NAMED'],\n})"
  expect(unnamedIn([...texts, endpoint])).toEqual(['planted: NOT_NAMED'])
  expect(uncommented('planted.ts', 'export const planted = 1')).toEqual(['planted.ts: planted'])
})

test('everything that the contract exports says what it is', () => {
  expect(files.length).toBeGreaterThan(20)
  expect(files.flatMap((file) => uncommented(file))).toEqual([])
})
