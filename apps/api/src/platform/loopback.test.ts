import { expect, test } from 'vitest'
import { isLoopbackAddress, isLoopbackHost } from './loopback.ts'

test('a host is of this machine by its address or by the one name that every resolver keeps here', () => {
  const hostOf = (url: string) => new URL(url).hostname
  for (const url of ['http://localhost:1', 'http://127.0.0.1', 'http://127.1', 'http://[::1]:8080'])
    expect(isLoopbackHost(hostOf(url)), url).toBe(true)
  for (const url of [
    'http://a.localhost',
    'http://localhost.example',
    'http://127.0.0.1.example',
    'http://[::2]',
  ])
    expect(isLoopbackHost(hostOf(url)), url).toBe(false)
})

test('a socket is of this machine by its address, also where that is written as IPv6', () => {
  for (const address of ['127.0.0.1', '::1', '::ffff:127.8.8.8'])
    expect(isLoopbackAddress(address)).toBe(true)
  for (const address of ['', '128.0.0.1', '::ffff:10.0.0.1', 'localhost'])
    expect(isLoopbackAddress(address)).toBe(false)
})
