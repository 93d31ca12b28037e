import { expect, inject, test } from 'vitest'
import { bindings } from './shown/bindings.ts'
import { notRun } from './shown/check.ts'
import { read, shownCommands } from './shown/collect.ts'
import { notedTexts } from './shown/notes.ts'

// Runs after all others.
test('the whole suite runs every command that is bound to one of its tests', () => {
  const missing = () => notRun(shownCommands(), { bindings }, notedTexts(), read)
  expect(inject('isWholeRun') ? missing() : []).toEqual([])
})
