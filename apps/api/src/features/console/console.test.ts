import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildConsoleOnce } from '../../../../../tools/build-console.js'
import { call } from '../../../test/client.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { openBuilt } from './built-files.ts'
import { withSite } from './routes.ts'

let world: World
beforeAll(async () => {
  await buildConsoleOnce()
  world = await startWorld('pglite')
})
afterAll(() => world.close())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(world.url + path, { redirect: 'manual', headers })

describe('the console', () => {
  test('every address below it is the same page, which is never kept and runs nothing but its own files', async () => {
    const answers = await Promise.all(
      ['/console/', '/console/projects', '/console/projects/x/keys?y=1'].map((path) => get(path)),
    )
    const [first = '', ...rest] = await Promise.all(answers.map((answer) => answer.text()))
    for (const text of rest) expect(text).toBe(first)
    for (const answer of answers) {
      expect(answer.status).toBe(200)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      const policy = answer.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
      expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
      expect(policy).not.toContain('unsafe')
    }
  })

  test('the page comes in as few bytes as the browser takes', async () => {
    const plain = await get('/console/', { 'accept-encoding': 'identity' })
    const text = await plain.text()
    for (const encoding of ['br', 'gzip']) {
      const answer = await get('/console/projects', { 'accept-encoding': encoding })
      expect(answer.headers.get('content-encoding')).toBe(encoding)
      expect(answer.headers.get('vary')).toBe('accept-encoding')
      expect(Number(answer.headers.get('content-length'))).toBeLessThan(text.length / 2)
      expect(await answer.text()).toBe(text)
    }
  })

  test('its files are kept for a year, and come in as few bytes as the browser takes', async () => {
    const page = await (await get('/console/')).text()
    const [, path = ''] = /<script[^>]+src="([^"]+)"/.exec(page) ?? []
    expect(path).toMatch(/^\/console\/assets\/[\w-]+\.js$/)
    const encodings = await Promise.all(
      ['br, gzip', 'gzip', 'br;q=0, gzip;q=0', 'identity'].map(async (accepted) => {
        const answer = await get(path, { 'accept-encoding': accepted })
        expect(answer.status).toBe(200)
        expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
        expect(answer.headers.get('vary')).toBe('accept-encoding')
        expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
        const text = await answer.text()
        return [answer.headers.get('content-encoding'), text.length]
      }),
    )
    const [, length] = encodings.at(-1) ?? []
    expect(encodings).toEqual([
      ['br', length],
      ['gzip', length],
      [null, length],
      [null, length],
    ])
  })

  test.each([
    '/console/assets/gone-1a2b.js',
    '/console/assets/',
    '/console/assets/../index.html',
    '/console/assets/%2e%2e%2findex.html',
    '/console/assets/constructor',
  ])('a file that was not built is not found: %s', async (path) => {
    const answer = await call(world.url, 'GET', path)
    expect([200, 404]).toContain(answer.status)
    // A client may resolve the dots itself; then it requested the page.
    if (answer.status === 200) expect(answer.headers.get('content-type')).toContain('text/html')
  })

  test('it links to the documentation of this service if it serves that, and otherwise to the repository', async () => {
    const place = (text: string) => /<meta name="rolecall-docs" content="([^"]*)">/.exec(text)?.[1]
    const repository = 'https://github.com/rolecall/rolecall/blob/main/docs/*.md'
    const built = openBuilt().page() ?? ''
    expect(place(built)).toBe(repository)
    expect(place(withSite(built))).toBe('/docs/*.html')
    const { status } = await get('/docs/')
    const served = place(await (await get('/console/')).text())
    expect(served).toBe(status === 200 ? '/docs/*.html' : repository)
  })

  test('the address without its slash leads to it', async () => {
    const answer = await get('/console')
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/console/'])
  })
})

test('CONSOLE=off leaves it out, and sends who comes to the root to the pages of the API', async () => {
  const off = await startWorld('pglite', { CONSOLE: 'off' })
  try {
    const page = await fetch(`${off.url}/console/`)
    const root = await fetch(`${off.url}/`, { redirect: 'manual' })
    expect([page.status, root.headers.get('location')]).toEqual([404, '/api/docs'])
  } finally {
    await off.close()
  }
})

test('a service without a built console starts, and names only files that were built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-console-'))
  expect(openBuilt(folder).page()).toBe(undefined)
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'assets', 'index-1a.js'), 'run()')
  writeFileSync(join(folder, 'assets', 'index-1a.js.gz'), gzipSync('run()'))
  const { asset } = openBuilt(folder)
  expect(asset('index-1a.js')?.spellings.map(({ encoding }) => encoding)).toEqual(['gzip', 'identity'])
  expect([asset('index-1a.js.gz'), asset('../index.html'), asset('toString')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
