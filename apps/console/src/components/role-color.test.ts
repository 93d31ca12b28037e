import { contrast } from '@rolecall/contract'
import { expect, test } from 'vitest'
import { readable, roleColors } from './role-color.ts'

test('a role of any colour can be read on its chip, light and dark', () => {
  const steps = [0, 51, 102, 153, 204, 255]
  const worst = steps.flatMap((red) =>
    steps.flatMap((green) =>
      steps.flatMap((blue) =>
        [
          readable([red, green, blue], [255, 255, 255], [0, 0, 0]),
          readable([red, green, blue], [23, 26, 32], [255, 255, 255]),
        ].map(({ text, ground }) => contrast(text, ground)),
      ),
    ),
  )
  expect(Math.min(...worst)).toBeGreaterThanOrEqual(4.5)
})

test('no colour is no style', () => {
  expect([roleColors(0), roleColors(null)]).toEqual([undefined, undefined])
})
