import { expect, test } from 'vitest'
import { Browser } from '../../../test/given.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const world = worldForTests('pglite')

const browsers = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const lost = ['/nothing', '/account/nothing', '/api/nothing', '/api/docs/nothing']

test.each(lost)('a browser at %s gets a page with the way back, and nothing of its address', async (path) => {
  const reply = await new Browser(world.url).get(`${path}?<b>=1`, { accept: browsers })
  expect([reply.status, reply.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(reply.text).toContain('<h1>There is nothing here</h1>')
  const [content = ''] = reply.text.split('<nav')
  expect([...content.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(['/'])
  expect(reply.text).not.toMatch(/<b>|nothing\?/)
  expect(reply.text).toContain(reply.headers.get('x-request-id'))
})

test.each([undefined, '*/*', 'application/json', 'application/problem+json'])(
  'a program that accepts %s gets the problem',
  async (accept) => {
    for (const path of lost) {
      const reply = await new Browser(world.url).get(path, accept === undefined ? {} : { accept })
      expect([reply.status, reply.body.code]).toEqual([404, 'NOT_FOUND'])
    }
  },
)

test('what an endpoint itself does not find is a problem for a browser too', async () => {
  const reply = await new Browser(world.url).get('/api/events', { accept: browsers })
  expect([reply.status, reply.headers.get('content-type')]).toEqual([
    401,
    'application/problem+json; charset=utf-8',
  ])
})
