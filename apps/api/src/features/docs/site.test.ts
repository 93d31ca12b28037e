import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openSite } from './site-files.ts'
import { createSite } from './site-routes.ts'

const folder = mkdtempSync(join(tmpdir(), 'rolecall-site-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

mkdirSync(join(folder, 'guides'))
mkdirSync(join(folder, 'assets'))
const page = `<!doctype html><title>Start</title>${'<p>The same words. '.repeat(100)}`
writeFileSync(join(folder, 'index.html'), page)
writeFileSync(join(folder, 'guides/index.html'), '<!doctype html><title>Guides</title>')
writeFileSync(join(folder, 'assets/site-0123456789ab.js'), 'run()')
writeFileSync(join(folder, 'made-of'), 'digest')

test('a file that a later build has removed is unknown, and not an error of the service', async () => {
  const path = join(folder, 'gone.html')
  writeFileSync(path, page)
  const answer = createSite(openSite(folder))
  rmSync(path)
  await expect(answer('gone.html', {})).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

describe('the documentation site', () => {
  const answer = createSite(openSite(folder))

  test('serves its pages, and the page of a folder at its address', async () => {
    const { status, body, headers } = await answer('', {})
    expect([status, `${body}`]).toEqual([200, page])
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(`${(await answer('guides/', {})).body}`).toContain('<title>Guides</title>')
    expect(`${(await answer('guides/index.html', {})).body}`).toContain('<title>Guides</title>')
  })

  test('sends a page with a policy that allows files of this origin alone', async () => {
    const { headers } = await answer('', {})
    const policy = `${headers['content-security-policy']}`
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain(
      "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    )
    expect(policy).not.toMatch(/unsafe|https?:|\*|data:/)
  })

  test('sends a page again only after it has changed', async () => {
    const { headers } = await answer('', {})
    expect(headers['cache-control']).toBe('no-cache')
    const second = await answer('', { 'if-none-match': `${headers['etag']}` })
    expect([second.status, second.body]).toEqual([304, undefined])
    expect((await answer('', { 'if-none-match': '"another"' })).status).toBe(200)
  })

  test('compresses a page as the client accepts it', async () => {
    const { headers, body } = await answer('', { 'accept-encoding': 'br, gzip' })
    expect([headers['content-encoding'], headers['vary']]).toEqual(['br', 'accept-encoding'])
    expect((body as Buffer).length).toBeLessThan(page.length / 5)
  })

  test('lets browsers keep the files that are named by their content', async () => {
    const { headers, body } = await answer('assets/site-0123456789ab.js', {})
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect([headers['content-type'], `${body}`]).toEqual(['text/javascript; charset=utf-8', 'run()'])
  })

  test.each(['none.html', 'made-of', '../index.html', '%2e%2e/index.html', 'constructor', 'guides', 'none/'])(
    'has no file that was not built: %s',
    async (path) => {
      await expect(answer(path, {})).rejects.toMatchObject({ status: 404 })
    },
  )

  test('says how to build it where it was not built', async () => {
    const empty = createSite(openSite(join(folder, 'none')))
    const { status, body, headers } = await empty('guides/running.html', {})
    expect([status, headers['cache-control']]).toEqual([404, 'no-store'])
    expect(`${body}`).toContain('Run npm run docs:site')
  })
})
