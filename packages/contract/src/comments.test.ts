import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('./', import.meta.url)
const files = readdirSync(folder).filter((file) => /(?<!\.test)\.ts$/.test(file))
const texts = new Map(files.map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]))

/** Lists the exports of a file without a comment above them. Re-exports have their comment in the other file. */
function uncommented([file, text]: readonly [string, string]): string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    const rest = lines.slice(index).join(' ')
    if (!line.startsWith('export ') || /^export (type )?(\* |\{[^}]*\} )(as \w+ )?from /.test(rest)) return []
    const [, name = line] =
      /^export (?:(?:declare|default|async|abstract|const) )*\w+\*? (\w+)/.exec(line) ?? []
    // The type of a schema has its schema's comment.
    if (line.endsWith(`Static<typeof ${name}>`)) return []
    return /\*\/$/.test(lines[index - 1] ?? '')
      ? []
      : [`packages/contract/src/${file}: add a comment above ${name}`]
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

/** Lists the refusals that the comment of their endpoint does not name, each with the file to edit. */
function unnamedIn(sources: Iterable<readonly [string, string]>): string[] {
  const endpoints = new Map(
    [...sources].flatMap(([file, text]) =>
      [...endpointsOf(text)].map(([name, one]) => [name, { file, ...one }] as const),
    ),
  )
  return [...endpoints].flatMap(([name, { file, comment, codes }]) => {
    const [, like = ''] = /[Ll]ike `(\w+)`/.exec(comment) ?? []
    const told = `${comment} ${endpoints.get(like)?.comment}`.split(/\W+/)
    // Every endpoint is limited.
    return codes
      .filter((code) => code !== 'RATE_LIMITED' && !told.includes(code))
      .map((code) => `packages/contract/src/${file}: add ${code} to the comment above ${name}`)
  })
}

test('an endpoint’s comment names what it refuses with, or the endpoint that it is like', () => {
  const endpoints = [...texts.values()].flatMap((text) => [...endpointsOf(text)])
  expect(endpoints.length).toBeGreaterThan(70)
  expect(unnamedIn(texts)).toEqual([])
})

test('everything that the contract exports says what it is', () => {
  expect(files.length).toBeGreaterThan(20)
  expect([...texts].flatMap(uncommented)).toEqual([])
})

test('a planted refusal that no comment names, and a planted export without a comment, are found', () => {
  const endpoint = "/** Reads it. */\nexport const planted = endpoint({\n  refuses: ['NOT_NAMED'],\n})"
  expect(unnamedIn([['planted.ts', endpoint]])).toEqual([
    'packages/contract/src/planted.ts: add NOT_NAMED to the comment above planted',
  ])
  expect(uncommented(['planted.ts', 'export const planted = 1'])).toEqual([
    'packages/contract/src/planted.ts: add a comment above planted',
  ])
})
