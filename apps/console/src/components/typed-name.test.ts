import { expect, test } from 'vitest'
import { isNameTyped } from './typed-name.ts'

test.each([
  ['Two Spaces', 'Two  Spaces'],
  ['Two Spaces', 'Two\u00a0\u3000Spaces '],
  ['Harbour', 'Har\u200bbour'],
  ['Harbour', '\u2066Harbour\u2069'],
  ['Soft hyphen', 'Soft hy\u00adphen'],
  ['Caf\u00e9', 'Cafe\u0301'],
  ['  Wiki ', 'Wiki'],
])('%j confirms %j', (typed, name) => expect(isNameTyped(typed, name)).toBe(true))

test.each([
  ['TwoSpaces', 'Two  Spaces'],
  ['wiki', 'Wiki'],
  ['', 'Wiki'],
  ['Wik', 'Wiki'],
])('%j does not confirm %j', (typed, name) => expect(isNameTyped(typed, name)).toBe(false))
