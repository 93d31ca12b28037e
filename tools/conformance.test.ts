import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = readFileSync(join(root, 'docs/reference/conformance.md'), 'utf8')

/** Rows of the page: a test of the OpenID Foundation, its result here, and the file and title of our test for it. */
const rows = [
  ...page.matchAll(/^\| `(oidcc-[\w-]+)` \| (passed|as the standard allows|not tried) \| (.*) \|$/gm),
].map(([, name = '', result = '', held = '']) => ({ name, result, held }))

test('every test that the page says is passed is held by a test of ours that is there', () => {
  expect(rows.length).toBeGreaterThan(40)
  const missing = rows
    .filter(({ result }) => result !== 'not tried')
    .flatMap(({ name, held }) => {
      const [, file = '', title = ''] = /^`([\w./-]+)`: (.+)$/.exec(held) ?? []
      const path = join(root, 'apps/api/src/features/oidc', file)
      if (!existsSync(path)) return [`${name}: no file ${file}`]
      return readFileSync(path, 'utf8').includes(title) ? [] : [`${name}: no test "${title}" in ${file}`]
    })
  expect(missing).toEqual([])
})

test('each is named once', () => {
  const names = rows.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
})

test('each published attack has a test that is there, or a reason', () => {
  const attacks = readFileSync(join(root, 'docs/security/published-attacks.md'), 'utf8')
  const answers = [...attacks.matchAll(/^\| [^|]+ \| [^|]+ \| (.+) \|$/gm)].map(([, answer = '']) => answer)
  expect(answers.length).toBeGreaterThan(60)
  const missing = answers.filter((answer) => {
    if (answer === 'Test, or reason' || /^reason: ./.test(answer)) return false
    const [, file = '', title = ''] = /^`([\w./-]+)`: (.+)$/.exec(answer) ?? []
    const path = join(root, file.startsWith('apps') ? '' : 'apps/api/src/features', file)
    return !title || !existsSync(path) || !readFileSync(path, 'utf8').includes(title)
  })
  expect(missing).toEqual([])
})
