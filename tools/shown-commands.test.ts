import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bindings, named, printedOnly } from './shown/bindings.ts'
import { notRun, problemsOf } from './shown/check.ts'
import { commandsOfPage, commandsOfSource, read, root, shownCommands } from './shown/collect.ts'

const registry = { bindings, named, printedOnly, exists: (path: string) => existsSync(join(root, path)) }
const shown = shownCommands()

describe('every command that the repository shows', () => {
  test('is run by a test, or has a mark with the reason why not', () => {
    expect(shown.length).toBeGreaterThan(250)
    expect(problemsOf(shown, registry)).toEqual([])
  })

  test('runs an existing script, if it is an npm command', () => {
    const scripts = shown.flatMap(({ text }) => [
      ...text.matchAll(/\bnpm (?:run ([\w:]+)|(start|test))(?: \w+)?(?: -w ([\w/-]+))?/g),
    ])
    expect(scripts.length).toBeGreaterThan(50)
    const missing = scripts.filter(([, run, short = '', folder = '.']) => {
      const { scripts } = JSON.parse(read(join(folder, 'package.json')))
      return scripts[run ?? short] === undefined
    })
    expect(missing.map(([text]) => text)).toEqual([])
  })

  test('names existing files, folders, and projects, if it is a Vitest command', () => {
    const runs = shown.flatMap(({ text }) => [
      ...text.matchAll(/npx vitest run(?: --project (\w+))?(?: (\S+))?$/g),
    ])
    expect(runs.length).toBeGreaterThan(4)
    for (const [text, project, path = '.'] of runs) {
      expect(registry.exists(path), text).toBe(true)
      if (project) expect(read('vitest.config.ts')).toContain(`name: '${project}'`)
    }
  })
})

describe('the check reports', () => {
  const page = (text: string) => commandsOfPage('planted.md', text)
  const block = (text: string, language = 'sh') => `\`\`\`${language}\n${text}\n\`\`\`\n`
  const problems = (text: string, more: object = {}) =>
    problemsOf(page(text), { bindings: [], named: [], printedOnly: {}, exists: () => true, ...more })
  const bound = (by: string) => ({ bindings: [{ by, commands: ['npm run planted'] }] })

  test.each([
    ['a block without a mark', block('npm run planted'), 'no test runs it, and no mark says why'],
    ['a block without a language', block('$ npm run planted', ''), 'no test runs it, and no mark says why'],
    ['a block in a list', `1. Step\n\n   ${block('npm run planted').replaceAll('\n', '\n   ')}`, 'no mark'],
    ['a command in a line', 'Run `npm run planted`.', 'no test runs it, and no mark says why'],
    ['a mark without a reason', `${block('npm run planted')}\n_Not run by our tests._\n`, 'gives no reason'],
    [
      'a mark of another block',
      `${block('npm run planted')}\nText.\n\n_Not run by our tests: no._`,
      'no mark',
    ],
  ])('%s', (_, text, problem) => {
    expect(problems(text)).toEqual([expect.stringContaining(problem)])
  })

  test('a mark of a command that a test runs', () => {
    const text = `${block('npm run planted')}\n_Not run by our tests: takes long._\n`
    expect(problems(text)).toEqual([])
    expect(problems(text, bound('a.test.ts'))).toEqual([expect.stringContaining('remove the mark')])
  })

  test('nothing about a command with a mark in a comment', () => {
    const comment = '<!-- Not run by our tests: takes long. -->'
    expect(problems(`${block('npm run planted')}\n${comment}\n`)).toEqual([])
    expect(problems(`Run \`npm run planted\`. ${comment}\n`)).toEqual([])
    expect(problems(`- \`npm run planted\`\n\n${comment}\n`)).toEqual([])
    expect(problems(`${block('npm run planted')}\n<!-- Not run by our tests. -->\n`)).toHaveLength(1)
  })

  test('a binding to a missing test, and a bound command that no page shows', () => {
    const exists = () => false
    expect(problems(block('npm run planted'), { ...bound('a.test.ts'), exists })).toEqual([
      'a.test.ts: the test does not exist',
    ])
    expect(problems('', bound('a.test.ts'))).toEqual(['npm run planted: no page or program shows it'])
    expect(problems('', { bindings: [{ by: 'a.test.ts', page: 'gone.md' }] })).toEqual([
      'a.test.ts: gone.md  shows no command',
    ])
  })

  test('a new command in what a program prints', () => {
    const source = 'console.log(`next  npx planted $' + '{name}`)\n// npx comment\n'
    expect(commandsOfSource('planted.ts', source).map(({ text }) => text)).toEqual(['npx planted …'])
  })

  test('a bound command that its test or script no longer runs', () => {
    const all = page(block('npm run planted'))
    const of = (by: string, noted: string[], script = '') => notRun(all, bound(by), noted, () => script)
    expect(of('a.test.ts', [])).toEqual(['a.test.ts did not run npm run planted'])
    expect(of('a.test.ts', ['npm run planted'])).toEqual([])
    expect(of('a.sh', ['npm run planted'])).toEqual(['a.sh did not run npm run planted'])
    expect(of('a.sh', [], 'npm run planted')).toEqual([])
    expect(notRun(all, { bindings: [{ by: 'a.test.ts', page: 'planted.md' }] }, [], () => '')).toEqual([
      'a.test.ts did not run planted.md:1',
    ])
  })
})
