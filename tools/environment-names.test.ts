import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { variableNames } from '../packages/sdk/src/init/variables.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const pages = [
  'README.md',
  'packages/sdk/README.md',
  'clients/python/README.md',
  ...filesIn('docs/guides'),
  ...filesIn('docs/security'),
  ...filesIn('examples'),
].map((path) => ({ path, text: readFileSync(root + path, 'utf8') }))

function filesIn(folder: string): string[] {
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(md|js|py)$/.test(name) && !name.includes('node_modules'))
    .map((name) => `${folder}/${name}`)
}

type Page = (typeof pages)[number]

/** Lists names of the environment that no app knows. The receiver of events is seldom the app that signs members in. */
const unknownNames = (all: readonly Page[]) => {
  const known: readonly string[] = [...variableNames, 'ROLECALL_EVENTS_SECRET']
  return all.flatMap(({ path, text }) =>
    [...text.matchAll(/\bROLECALL_[A-Z_]*[A-Z]\b/g)].flatMap(([name]) =>
      known.includes(name) ? [] : [`${path}: ${name}`],
    ),
  )
}

/** Lists pages that set a variable without its prefix. Webhooks have a secret too, so that name is free. */
const pagesWithShortNames = (all: readonly Page[]) => {
  const named = variableNames.map((name) => name.replace('ROLECALL_', '')).filter((name) => name !== 'SECRET')
  const short = new RegExp(`^ *(export )?(API|SERVER|${named.join('|')})=`, 'm')
  return all.filter(({ text }) => short.test(text)).map(({ path }) => path)
}

test('guides, examples and clients know an app by the same names of the environment', () => {
  expect(pages.length).toBeGreaterThan(40)
  expect(unknownNames(pages)).toEqual([])
})

test('and set them by these names in every command', () => {
  expect(pagesWithShortNames(pages)).toEqual([])
})

test('a planted name that no app knows, and a planted short one, are found', () => {
  const planted = { path: 'planted.md', text: 'ROLECALL_PLANTED=1\nexport SERVER=2' }
  expect(unknownNames([...pages, planted])).toEqual(['planted.md: ROLECALL_PLANTED'])
  expect(pagesWithShortNames([...pages, planted])).toEqual(['planted.md'])
})
