import { expect, test } from 'vitest'
import { cleanNames } from './clean-names.ts'

const nasty = 'A\u202Ed\u2066a\u200F\u061C\u0000\u001B[1m\r\n\u2028!'
const clean = 'Ada[1m !'

test('names are cleaned at every depth, and data of a project stays as it was sent', () => {
  const answer = {
    name: nasty,
    id: nasty,
    groupNames: { '1': nasty },
    data: [{ username: nasty, roleNames: [nasty], actorUsername: null, summary: nasty, isName: true }],
    changes: { name: { before: nasty, after: 'Ada' } },
    payload: { name: nasty },
    schema: { properties: { name: { title: nasty } } },
  }
  expect(cleanNames(answer)).toEqual({
    name: clean,
    id: nasty,
    groupNames: { '1': clean },
    data: [{ username: clean, roleNames: [clean], actorUsername: null, summary: clean, isName: true }],
    changes: { name: { before: clean, after: 'Ada' } },
    payload: { name: nasty },
    schema: { properties: { name: { title: nasty } } },
  })
})

test.each(['مرحبا', 'é עברית', '👩‍🚀 Ada', 'नमस्ते'])('the letters and emoji of %s stay', (name) => {
  expect(cleanNames({ name })).toEqual({ name })
})

test.each([undefined, null, 'text', 204])('a response without fields stays: %s', (answer) => {
  expect(cleanNames(answer)).toBe(answer)
})
