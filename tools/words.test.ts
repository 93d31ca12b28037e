import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { commentsIn, proseIn, readSources, stringsIn, titlesIn } from './texts.js'
import { check, isOverBudget, rules } from './words.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = readSources(root)
const results = check(sources)

describe('the words', () => {
  test('are read from sources, the interface, and pages', () => {
    for (const { total } of results) expect(total).toBeGreaterThan(1_000)
    expect([...sources.keys()].filter((path) => path.includes('node_modules/'))).toEqual([])
  })

  test.each(results)('$title', (result) => {
    const { found } = result
    expect(isOverBudget(result) ? found : []).toEqual([])
  })

  test.each(rules)('a planted violation is found: $title', ({ title, planted: { path, text } }) => {
    const result = check(new Map([[path, text]])).find((one) => one.title === title)
    expect(result?.found.map((one) => one.path)).toEqual([path])
    expect(result && isOverBudget(result)).toBe(true)
  })
})

describe('the texts of a file', () => {
  const textsOf = (read: typeof commentsIn, path: string, text: string) =>
    read(new Map([[path, text]])).map(({ line, text }) => [line, text])

  test('are the comments of a script, and lines below one another are one comment', () => {
    const script =
      "const a = '/* no */' // one\n// two\n\n// three\n/**\n * Four\n * five. */\nconst b = /\\/\\/ no/"
    expect(textsOf(commentsIn, 'planted.ts', script)).toEqual([
      [1, 'one two'],
      [4, 'three'],
      [5, 'Four five.'],
    ])
  })

  test.each([
    ['planted.sql', 'select 1;\n-- One\n-- two.\n'],
    ['planted.py', 'a = 1\n# One\n# two.\n'],
    ['planted.py', 'def a():\n    """One\n    two."""\n'],
    ['planted.css', 'a {}\n/* One\n   two. */'],
  ])('are the comments of %s', (path, text) => {
    expect(textsOf(commentsIn, path, text)).toEqual([[2, 'One two.']])
  })

  test('are the texts between the tags of HTML in templates', () => {
    const script = 'html`<h1>One two three.</h1><p class="four five six">Seven eight nine.</p>`'
    expect(textsOf(stringsIn, 'examples/demo-site/src/planted.ts', script)).toEqual([
      [1, 'One two three.'],
      [1, 'Seven eight nine.'],
    ])
  })

  test('are strings of three words of the interface, without SQL, tests, and other languages', () => {
    const template = `\`One $\{two} three four five\``
    const script = `sql\`select a from b\`\nsay('one two', 'One two three.', ${template})`
    expect(textsOf(stringsIn, 'apps/api/src/planted.ts', script)).toEqual([
      [2, 'One two three.'],
      [2, 'three four five'],
    ])
    for (const path of ['apps/api/src/a.test.ts', 'apps/api/src/languages/nl.ts', 'bench/src/a.ts']) {
      expect(textsOf(stringsIn, path, script)).toEqual([])
    }
  })

  test('are the titles of tests and groups, in files of tests alone', () => {
    const script =
      "describe('One', () => {\n  test.each([1])('two %i', () => say('three'))\n  it('four', run)\n})"
    expect(textsOf(titlesIn, 'planted.test.ts', script)).toEqual([
      [1, 'One'],
      [2, 'two %i'],
      [3, 'four'],
    ])
    expect(textsOf(titlesIn, 'planted.ts', script)).toEqual([])
  })

  test('are the paragraphs, items, and rows of a page, without code', () => {
    const page = '# One\n\nTwo\nthree.\n- four\n- five\n\n```sh\nnobody\n\nasks\n```\n\n| six |\n| seven |\n'
    expect(textsOf((all) => proseIn(all, [/^planted/]), 'planted.md', page)).toEqual([
      [1, '# One'],
      [3, 'Two three.'],
      [5, '- four'],
      [6, '- five'],
      [14, '| six |'],
      [15, '| seven |'],
    ])
  })
})
