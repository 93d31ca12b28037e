import { expect, test } from 'vitest'
import { exactFirst, pastedIn } from './pasted.ts'

test('ids and keys are told from names, and of a key no more is kept than is shown of it', () => {
  expect(pastedIn('1100094049760706562')).toEqual({ kind: 'member', id: '1100094049760706562' })
  expect(pastedIn('0193B5C0-7b1e-7d3a-8f00-1234567890ab')).toEqual({
    kind: 'project',
    id: '0193b5c0-7b1e-7d3a-8f00-1234567890ab',
  })
  expect(pastedIn('rck_1a2b3c4dSECRETSECRETSECRET')).toEqual({ kind: 'key', id: 'rck_1a2b3c4d' })
  // A token that was pasted by mistake is not searched as a name.
  expect(pastedIn('rcs_1a2b3c4dSECRETSECRETSECRET')?.kind).toBe('key')
  for (const name of ['', 'ada', '110009', 'rck']) expect(pastedIn(name)).toBeUndefined()
})

test('the exact name comes first, and an id finds its own alone', () => {
  const all = ['Old wiki', 'Wiki two', 'Wiki'].map((name, at) => ({ id: `p${at}`, name }))
  expect(exactFirst(all, 'wiki ').map(({ name }) => name)).toEqual(['Wiki', 'Wiki two', 'Old wiki'])
  expect(exactFirst(all, 'p1').map(({ name }) => name)).toEqual(['Wiki two'])
  expect(exactFirst(all, '')).toHaveLength(3)
})
