import { expect, test } from 'vitest'
import { parseUrl } from './parse-url.ts'

test('an address beyond ASCII is read the same by the first call and after a hundred thousand', () => {
  const host = () => parseUrl('https://bücher.example/')?.host
  for (let i = 0; i < 100_000; i++) parseUrl(`https://a.example/${i % 10}`)
  for (let i = 0; i < 100; i++) expect(host()).toBe('xn--bcher-kva.example')
})

test('what is no address is undefined', () => {
  for (const text of ['', 'a.example', 'https://', 'https://a b.example']) {
    expect(parseUrl(text), text).toBeUndefined()
  }
  expect(parseUrl('/console/', 'https://a.example')?.href).toBe('https://a.example/console/')
})
