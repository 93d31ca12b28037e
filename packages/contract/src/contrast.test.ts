import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contrastOf, textColorOn } from './contrast.ts'

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

test('the contrast is that of WCAG', () => {
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21, 5)
  expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  expect(contrastOf('#0b57b7', '#0b57b7')).toBe(1)
})

test('text on any color has a contrast of at least 4.5', () => {
  fc.assert(
    fc.property(color, (ground) => {
      expect(contrastOf(ground, textColorOn(ground))).toBeGreaterThanOrEqual(4.5)
    }),
  )
  // Grays where black and white are nearly equal are the worst case.
  for (let gray = 0; gray < 256; gray++) {
    const ground = `#${gray.toString(16).padStart(2, '0').repeat(3)}`
    expect(contrastOf(ground, textColorOn(ground))).toBeGreaterThanOrEqual(4.5)
  }
})
