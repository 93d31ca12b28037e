import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listFiles } from '../../../tools/source-graph.ts'

/** The ways in which a script learns how wide a page is. */
const asksForWidth = /\b(inner|outer|client|offset)Width\b|\bResizeObserver\b|matchMedia\([^)]*width/

const folder = fileURLToPath(new URL('../src', import.meta.url))

test('only styles depend on the width, so a page that is resized is the page that opens in that width', () => {
  const files = listFiles(folder, /\.tsx?$/)
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((path) => asksForWidth.test(readFileSync(path, 'utf8')))).toEqual([])
  expect("matchMedia('(max-width: 700px)')").toMatch(asksForWidth)
})
