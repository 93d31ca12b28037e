import fc from 'fast-check'
import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { createAddressReader } from './client-address.ts'
import type { FrontRequest } from './front.ts'

const addresses = ['127.0.0.1', '::ffff:127.0.0.1', '10.1.2.3', '203.0.113.9', '2001:db8::1', 'unknown', '']

describe.each<[string, string[]]>([
  ['no proxy', []],
  ['one proxy', ['127.0.0.1']],
  ['networks of proxies', ['127.0.0.0/8', '10.0.0.0/8', '2001:db8::/32']],
])('the address of a client behind %s', (_, trustProxy) => {
  const app = Fastify({ trustProxy: trustProxy.length > 0 ? trustProxy : false })
  let asked: FrontRequest | undefined
  app.get('/', async (request) => {
    asked = request.raw
    return { ip: request.ip }
  })

  test('is the one that the framework reads', async () => {
    const read = createAddressReader(trustProxy)
    const address = fc.constantFrom(...addresses)
    const forwarded = fc.array(address, { maxLength: 4 }).map((list) => list.join(', '))
    await fc.assert(
      fc.asyncProperty(address, fc.option(forwarded), async (remoteAddress, list) => {
        const { ip } = (
          await app.inject({
            ...{ url: '/', remoteAddress },
            headers: list === null ? {} : { 'x-forwarded-for': list },
          })
        ).json()
        expect(read(asked as FrontRequest)).toBe(ip)
      }),
      { numRuns: 200 },
    )
  })
})
