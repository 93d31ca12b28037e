import { expect, test } from 'vitest'
import { heldWithJson, toRoles } from './roles.ts'

test('combinations of roles are shared, and evicted before they fill the memory', () => {
  const roles = toRoles([{ id: '1', name: 'x'.repeat(100_000), color: 0, position: 1 }])
  const first = heldWithJson(['1'], roles)
  expect(heldWithJson(['1'], roles)).toBe(first)
  for (let n = 0; n < 100; n++) heldWithJson(['1', `deleted ${n}`], roles)
  expect(heldWithJson(['1'], roles)).not.toBe(first)
})
