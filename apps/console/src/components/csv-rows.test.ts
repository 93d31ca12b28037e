import { expect, test } from 'vitest'
import { createRowCount } from './csv-rows.ts'

test('rows are counted as they arrive, and a line break inside a value is none', () => {
  const count = createRowCount()
  const bytes = (text: string) => new TextEncoder().encode(text)
  expect(count(bytes('id,payload\r\n'))).toBe(0)
  expect(count(bytes('1,"{\n""a"": '))).toBe(0)
  expect(count(bytes('2\n}"\r\n2,{}\r\n'))).toBe(2)
})
