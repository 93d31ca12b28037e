import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { whileCollecting } from '../../../../../tools/collect-garbage.ts'
import { readAnswer } from './read-answer.ts'

let server: Server
let url: string
let reply: (answer: ServerResponse) => void
beforeAll(async () => {
  server = createServer((_, answer) => reply(answer))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const read = async (maxBytes = 100, timeoutMs = 10_000) => {
  const signal = AbortSignal.timeout(timeoutMs)
  return readAnswer(await fetch(url, { signal, redirect: 'error' }), signal, maxBytes)
}

test('a body that stands still is given up when its time is over, also after a garbage collection', async () => {
  reply = (answer) => void answer.writeHead(200).write('half')
  const reads = Promise.allSettled(Array.from({ length: 20 }, () => read(100, 500)))
  const ends = await whileCollecting(20, reads)
  expect(ends.map((end) => end.status === 'rejected' && end.reason.name)).toEqual(
    Array(20).fill('TimeoutError'),
  )
})

test('a body is read up to a size, and none is an empty one', async () => {
  reply = (answer) => answer.end('a'.repeat(100))
  expect(String(await read())).toBe('a'.repeat(100))
  expect(await read(99)).toBeUndefined()
  reply = (answer) => answer.writeHead(204).end()
  expect(await read()).toEqual(Buffer.alloc(0))
})

test('one that is cut off is no answer', async () => {
  reply = (answer) => {
    answer.writeHead(200, { 'content-length': 100 }).write('half', () => answer.destroy())
  }
  await expect(read()).rejects.toThrow()
})
