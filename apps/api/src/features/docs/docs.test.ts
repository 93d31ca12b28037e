import { existsSync } from 'node:fs'
import { type ErrorDefinition, errors } from '@rolecall/contract'
import { describe, expect, test } from 'vitest'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { describeContract } from './describe-endpoint.ts'
import { html } from './html.ts'

const world = worldForTests('pglite')

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(world.url + path, { redirect: 'manual', headers })

describe('API pages', () => {
  test('the root sends a browser to the console', async () => {
    const answer = await get('/')
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/console/'])
  })

  test('the page says what this is, and how an admin who logged in goes on', async () => {
    const answer = await fetch(`${world.url}/api/docs`, { headers: { accept: 'text/html' } })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const text = await answer.text()
    expect(text).toContain('signs the members of a community in to its sites')
    expect(text).toContain('<a href="#adminToken">exchanges a code</a>')
  })

  test('and leads to a client for each language, whose page is in the repository', async () => {
    const text = await (await fetch(`${world.url}/api/docs`, { headers: { accept: 'text/html' } })).text()
    const paths = [...text.matchAll(/href="https:\/\/github\.com\/rolecall\/rolecall\/blob\/main\/([^"]+)"/g)]
    expect(paths.length).toBeGreaterThan(5)
    const root = new URL('../../../../../', import.meta.url)
    expect(paths.filter(([, path = '']) => !existsSync(new URL(path, root)))).toEqual([])
  })

  test('every endpoint stands in the index at the top, before the first is described', async () => {
    const body = await (await get('/api/docs')).text()
    const top = body.slice(body.indexOf('id="index"'), body.indexOf('class="chapter"'))
    const pages = describeContract(world.url).flatMap(({ endpoints }) => endpoints)
    expect(pages.filter(({ id, path }) => !top.includes(`href="#${id}"`) || !top.includes(path))).toEqual([])
  })

  test('name every operation of the OpenAPI document, each at an anchor of its own', async () => {
    const { paths } = await (await get('/api/openapi.json')).json()
    const operations = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const pages = describeContract(world.url).flatMap(({ endpoints }) => endpoints)
    expect(pages.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(operations.toSorted())
    expect(new Set(pages.map(({ id }) => id)).size).toBe(pages.length)
    const body = await (await get('/api/docs')).text()
    expect(pages.filter(({ id }) => body.split(` id="${id}"`).length !== 2)).toEqual([])
  })

  test('explain every error code at the anchor that the type of a problem names', async () => {
    const body = await (await get('/api/docs/errors')).text()
    const codes = Object.entries(errors as Record<string, ErrorDefinition>).map(
      ([name, { code = name }]) => code,
    )
    expect(codes.filter((code) => body.split(` id="${code}"`).length !== 2)).toEqual([])
    const problem = await (await get('/api/nothing')).json()
    expect(problem.type).toBe(`${world.service.config.publicUrl}/api/docs/errors#${problem.code}`)
  })

  test.each(['/api/docs', '/api/docs/errors', '/api/openapi.json'])(
    '%s is sent again only after it changed, and to anyone',
    async (path) => {
      const first = await get(path)
      const etag = first.headers.get('etag') ?? ''
      expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'no-cache'])
      const second = await get(path, { 'if-none-match': etag })
      expect([second.status, await second.text()]).toEqual([304, ''])
      expect((await get(path, { 'if-none-match': '"another"' })).status).toBe(200)
    },
  )

  describe.each(['/api/docs', '/api/docs/errors', '/api/openapi.json'])('%s is compressed', (path) => {
    test.each([
      ['br, gzip, deflate', 'br'],
      ['gzip', 'gzip'],
      ['GZIP;q=0.5', 'gzip'],
      ['gzip;q=1.0, br;q=0.2', 'gzip'],
      ['*', 'br'],
      ['br;q=0, *;q=0.1', 'gzip'],
      ['br;q=0, gzip;q=0.000', null],
      ['identity, gzip;q=0.5', null],
      ['compress', null],
      ['', null],
    ])('as the client accepts it: %j', async (accepted, encoding) => {
      const plain = await get(path, { 'accept-encoding': 'identity' })
      const text = await plain.text()
      const bytes = Buffer.byteLength(text)
      expect(plain.headers.get('content-length')).toBe(String(bytes))
      const answer = await get(path, { 'accept-encoding': accepted })
      expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, encoding])
      expect(answer.headers.get('vary')).toBe('accept-encoding')
      expect(await answer.text()).toBe(text)
      const sent = Number(answer.headers.get('content-length'))
      if (encoding === null) expect(sent).toBe(bytes)
      else expect(sent).toBeLessThan(bytes / 5)
    })
  })

  test.each(['br', 'gzip', 'identity'])(
    'a copy in %s is confirmed by its own tag alone',
    async (encoding) => {
      const accepted = { 'accept-encoding': encoding }
      const etags = await Promise.all(
        ['br', 'gzip', 'identity'].map(
          async (one) => (await get('/api/docs', { 'accept-encoding': one })).headers.get('etag') ?? '',
        ),
      )
      expect(new Set(etags).size).toBe(3)
      const own = (await get('/api/docs', accepted)).headers.get('etag') ?? ''
      const statusOf = async (tags: string) =>
        (await get('/api/docs', { ...accepted, 'if-none-match': tags })).status
      // A proxy that compresses by itself weakens a tag.
      for (const tags of [own, `W/${own}`, `"other", ${own}`, '*']) expect(await statusOf(tags)).toBe(304)
      const others = etags.filter((etag) => etag !== own)
      for (const tags of [...others, '"other"', own.slice(0, -2)]) expect(await statusOf(tags)).toBe(200)
      const confirmed = await get('/api/docs', { ...accepted, 'if-none-match': own })
      expect(confirmed.headers.get('vary')).toBe('accept-encoding')
      expect(confirmed.headers.get('etag')).toBe(own)
    },
  )

  test.each(['/api/health', '/device', '/api/auth/authorize', '/metrics', '/nothing'])(
    '%s is not compressed: its length would reveal what it contains',
    async (path) => {
      const answer = await get(path, { 'accept-encoding': 'br, gzip', accept: 'text/html' })
      expect((await answer.text()).length).toBeGreaterThan(0)
      expect(answer.headers.get('content-encoding')).toBe(null)
    },
  )

  test('HEAD announces what GET sends', async () => {
    const accepted = { 'accept-encoding': 'br' }
    const sent = await get('/api/openapi.json', accepted)
    const announced = await fetch(`${world.url}/api/openapi.json`, { method: 'HEAD', headers: accepted })
    for (const name of ['content-length', 'content-encoding', 'etag', 'vary'])
      expect(announced.headers.get(name), name).toBe(sent.headers.get(name))
  })

  test('run no script and load nothing from elsewhere', async () => {
    for (const path of ['/api/docs', '/api/docs/errors']) {
      const answer = await get(path)
      const policy = answer.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toMatch(/unsafe|script-src|https?:|\*/)
      const text = await answer.text()
      expect(text).not.toMatch(/<script|\son\w+=|\sstyle=|src="(https?:)?\/\//)
      // Only links that a person clicks lead to other sites.
      expect(text).not.toMatch(/<(?!a )\w+[^>]* href="(https?:)?\/\//)
    }
  })
})

test('what is put into a page is escaped unless it is HTML of ours', () => {
  const inner = html`<b>${'<i>'}</b>`
  expect(html`<p title="${'"><script>'}">${inner}${[1, false, undefined]}</p>`.text).toBe(
    '<p title="&#34;&#62;&#60;script&#62;"><b>&#60;i&#62;</b>1</p>',
  )
})
