import { readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { picturesFolder, screenshots } from './list.js'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const maxBytes = 150 * 1024

test('every picture in the documents is of a page that exists, and was taken', () => {
  const routes = readFileSync(`${root}apps/console/src/routes.tsx`, 'utf8')
  expect(screenshots.filter(({ route }) => !routes.includes(`page('${route}',`))).toEqual([])
  expect(readdirSync(`${root}${picturesFolder}`).toSorted()).toEqual(
    screenshots.map(({ file }) => file).toSorted(),
  )
})

test('pictures are small, and each is one', () => {
  for (const { file } of screenshots) {
    const path = `${root}${picturesFolder}/${file}`
    expect(readFileSync(path).subarray(8, 12).toString(), file).toBe('WEBP')
    expect(statSync(path).size, file).toBeLessThan(maxBytes)
  }
})

test('README.md shows pictures that are there', () => {
  const readme = readFileSync(`${root}README.md`, 'utf8')
  const shown = [...readme.matchAll(/docs\/images\/([\w.-]+)/g)].map(([, file]) => file)
  expect(shown.length).toBeGreaterThan(0)
  expect(shown.filter((one) => !screenshots.some(({ file }) => file === one))).toEqual([])
})
