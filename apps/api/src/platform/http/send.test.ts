import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendWhole } from './send.ts'

let body = ''
const server = createServer((_request, response) => sendWhole(response, 200, {}, body))
let url = ''
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

test.each(['a', 'é', '漢', '😀'])('a text of %s of any length arrives whole', async (character) => {
  for (const length of [0, 1, 65_535, 65_536, 65_537, 400_000]) {
    body = character.repeat(Math.ceil(length / character.length))
    const response = await fetch(url)
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(body)))
    expect(await response.text()).toBe(body)
    const head = await fetch(url, { method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(body)))
  }
})
