import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { endpoints, operationIdOf } from '@rolecall/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { findForeignRequests } from './src/checks.ts'
import { makeSite, readSources } from './src/site.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('the site of this repository', () => {
  let site: Awaited<ReturnType<typeof makeSite>>
  beforeAll(async () => {
    site = await makeSite(root, readSources(root))
  })
  const page = (path: string) => site.files.get(path)?.toString() ?? ''

  test('has no problem', () => {
    expect(site.problems).toEqual([])
  })

  test('has a page for each endpoint, to which the list of endpoints and other pages link', () => {
    const addresses = endpoints.map((one) => `reference/api/${operationIdOf(one)}.html`)
    expect(addresses.filter((path) => !site.files.has(path))).toEqual([])
    expect(
      addresses.filter((path) => !page('reference/api.html').includes(`href="${path.slice(10)}"`)),
    ).toEqual([])
    expect(page('reference/errors.html')).toContain('href="api/exchangeCode.html"')
    expect(page('reference/api/exchangeCode.html')).toContain('href="../errors.html#invalid_code"')
  })

  test('says on each page who it is for and what they can do afterwards', () => {
    const pages = [...site.files.keys()].filter((path) => path.endsWith('.html'))
    expect(pages.length).toBeGreaterThan(300)
    const silent = pages.filter(
      (path) => !/<strong>For<\/strong> .+ <strong>Afterwards<\/strong> you can .+\./.test(page(path)),
    )
    expect(silent).toEqual([])
  })

  test('has no inline script and no inline style', () => {
    const html = [...site.files].filter(([path]) => path.endsWith('.html'))
    const inline = html.filter(([, text]) =>
      /<style|\sstyle=|\son\w+="|<script(?![^>]* src=)/.test(`${text}`),
    )
    expect(inline.map(([path]) => path)).toEqual([])
  })

  test('leads to the repository for a file that is no page, and colors code by class', () => {
    expect(page('contributing.html')).toMatch(
      /href="https:\/\/github\.com\/rolecall\/rolecall\/blob\/main\/acceptance\/COVERAGE\.md"/,
    )
    expect(page('guides/stacks/express.html')).toContain('<span class="t-')
  })

  test('names files for browser caches by their content', () => {
    const assets = [...site.files.keys()].filter((path) => path.startsWith('assets/'))
    expect(assets.length).toBeGreaterThan(8)
    expect(assets.filter((path) => !/-[\da-f]{12}\.\w+$/.test(path))).toEqual([])
  })
})

describe('a planted violation is found:', () => {
  const own = { chapter: undefined, keywords: '' }
  const start = { ...own, source: 'docs/README.md', markdown: '# Start\n\n## Part\n' }
  const item = (page: string) => ({ page, for: 'readers', after: 'read' })
  const navigation = (...items: ReturnType<typeof item>[]) => [{ title: 'All', weight: 1, items }]
  const both = navigation(item('docs/README.md'), item('docs/planted.md'))
  const style = readFileSync(new URL('src/style.css', import.meta.url), 'utf8')

  const problemsOf = async (markdown: string, changed: Partial<Parameters<typeof makeSite>[1]> = {}) => {
    const planted = { ...own, source: 'docs/planted.md', markdown: `# Planted\n\n${markdown}\n` }
    return (await makeSite(root, { pages: [start, planted], navigation: both, style, ...changed })).problems
  }

  test('nothing, where nothing is planted', async () => {
    const text =
      '[Part](README.md#part) ![The access of a project](images/access.webp) [Elsewhere](https://example.com)'
    expect(await problemsOf(text)).toEqual([])
  })

  test.each([
    ['a broken link', '[x](missing.md)', 'docs/planted.md links to missing.md, which does not exist.'],
    [
      'a link above the repository',
      '[x](../../x.md)',
      'docs/planted.md links to ../../x.md, which does not exist.',
    ],
    [
      'a broken anchor',
      '[x](README.md#none)',
      'docs/planted.md links to docs/README.md#none, but that page has no such anchor.',
    ],
    [
      'a broken anchor of the page itself',
      '[x](#none)',
      'docs/planted.md links to docs/planted.md#none, but that page has no such anchor.',
    ],
    [
      'a link to an address of the service',
      '[x](/api/docs)',
      'docs/planted.md links to /api/docs, which is no address of a page.',
    ],
    [
      'a link that runs a script',
      '<a href="javascript:x()">x</a>',
      'docs/planted.md links to javascript:x(), which is no address of a page.',
    ],
    [
      'a picture without alt text',
      '![](images/access.webp)',
      'docs/planted.md: the picture images/access.webp has no alt text.',
    ],
    [
      'a picture of HTML without alt text',
      '<img src="images/access.webp" alt=" ">',
      'docs/planted.md: the picture images/access.webp has no alt text.',
    ],
    [
      'a picture that does not exist',
      '![x](images/none.webp)',
      'docs/planted.md shows images/none.webp, which is not a picture in this repository.',
    ],
    [
      'a picture of another origin',
      '![x](https://example.com/x.png)',
      'docs/planted.md shows https://example.com/x.png, which is not a picture in this repository.',
    ],
    [
      'text that a browser takes for an element',
      'sign `t` and <raw body>',
      'docs/planted.md: <raw> is not an element that pages may contain. Escape it, or write it as code.',
    ],
    [
      'a script',
      '<script src="x.js"></script>',
      'docs/planted.md: <script> is not an element that pages may contain. Escape it, or write it as code.',
    ],
    ['an inline style', '<p style="color: red">x</p>', 'docs/planted.md: <p> has the attribute style.'],
    ['an inline handler', '<p onclick="x()">x</p>', 'docs/planted.md: <p> has the attribute onclick.'],
  ])('%s', async (_title, markdown, problem) => {
    expect(await problemsOf(markdown)).toContain(problem)
  })

  test('an orphan page', async () => {
    expect(await problemsOf('', { navigation: navigation(item('docs/README.md')) })).toEqual([
      'docs/planted.md is an orphan: docs/navigation.json does not name it.',
    ])
  })

  test('a page with two places', async () => {
    expect(
      await problemsOf('', { navigation: [...both, { ...both[0], title: 'Again' }] as typeof both }),
    ).toContain('docs/planted.md has 2 places in docs/navigation.json.')
  })

  test('a place without a page', async () => {
    const more = navigation(item('docs/README.md'), item('docs/planted.md'), item('docs/none.md'))
    expect(await problemsOf('', { navigation: more })).toEqual([
      'docs/navigation.json names docs/none.md, which has no page.',
    ])
  })

  test.each(['for', 'after'])('a page without "%s"', async (name) => {
    const silent = { ...item('docs/planted.md'), [name]: ' ' }
    expect(await problemsOf('', { navigation: navigation(item('docs/README.md'), silent) })).toEqual([
      'docs/planted.md does not say who it is for and what they can do afterwards.',
    ])
  })

  test('a style that loads a font from another origin', async () => {
    const found = await problemsOf('', { style: '@import url("https://fonts.example/inter.css");' })
    expect(found.join()).toMatch(/assets\/style-\w+\.css requests https:\/\/fonts\.example\/inter\.css\./)
  })

  test.each([
    '<script src="//cdn.example/x.js">',
    '<link href="https://cdn.example/x.css">',
    '<img srcset="https://cdn.example/x 2x">',
  ])('a request of a page to another origin: %s', (text) => {
    expect(findForeignRequests(new Map([['x.html', text]]))).toHaveLength(1)
  })
})
