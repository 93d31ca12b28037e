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

test('guides, examples and clients know an app by the same names of the environment', () => {
  expect(pages.length).toBeGreaterThan(40)
  // Of who receives events, which is seldom the app that logs in.
  const known: readonly string[] = [...variableNames, 'ROLECALL_EVENTS_SECRET']
  const strange = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\bROLECALL_[A-Z_]*[A-Z]\b/g)].flatMap(([name]) =>
      known.includes(name) ? [] : [`${path}: ${name}`],
    ),
  )
  expect(strange).toEqual([])
})

test('and set them by these names in every command', () => {
  // But for the secret: webhooks have one too.
  const named = variableNames.map((name) => name.replace('ROLECALL_', '')).filter((name) => name !== 'SECRET')
  const short = new RegExp(`^ *(export )?(API|SERVER|${named.join('|')})=`, 'm')
  expect(pages.filter(({ text }) => short.test(text)).map(({ path }) => path)).toEqual([])
})
