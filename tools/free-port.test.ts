import { expect, test } from 'vitest'
import { freePort } from './free-port.js'

test('gives no port twice before a program can listen at it', async () => {
  const ports = new Set<number>()
  for (let i = 0; i < 1_000; i++) ports.add(await freePort())
  expect(ports.size).toBe(1_000)
})
