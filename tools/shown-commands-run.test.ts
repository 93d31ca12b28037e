import { expect, inject, test } from 'vitest'
import { bindings } from './shown/bindings.ts'
import { notRun } from './shown/check.ts'
import { read, shownCommands } from './shown/collect.ts'
import { notedTexts } from './shown/notes.ts'

// The configuration of Vitest runs this file last.
test('a run of the whole suite runs every command that is bound to a test', () => {
  const missing = () => notRun(shownCommands(), { bindings }, notedTexts(), read)
  expect(inject('isWholeRun') ? missing() : []).toEqual([])
})
