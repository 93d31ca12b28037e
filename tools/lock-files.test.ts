import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listFiles } from './source-graph.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Folders with a lock file: the root, and those that `installOnce` installs. */
const folders = [
  '.',
  'bench/peers',
  'examples',
  'tools/lint',
  'tools/peers',
  'tools/peers/next',
  'tools/postgres',
  'tools/site',
]

interface Locked {
  readonly resolved?: string
  readonly link?: boolean
  readonly optional?: boolean
}
const packagesOf = (folder: string): [string, Locked][] =>
  Object.entries(JSON.parse(read(join(folder, 'package-lock.json'))).packages)

test('every folder with a lock file is known', () => {
  const found = listFiles(root, /package-lock\.json$/).map((path) => dirname(relative(root, path)))
  expect(found.toSorted()).toEqual(folders)
})

test.each(folders)(
  '%s/package-lock.json contains no download address, so that it works with any registry',
  (folder) => {
    const addresses = packagesOf(folder).filter(([, { resolved = '' }]) => /^\w+:/.test(resolved))
    expect(addresses).toEqual([])
    expect(read(join(folder, '.npmrc'))).toBe(read('.npmrc'))
  },
)

test('the root installs fewer than 300 packages, so that a first `npm ci` is quick', () => {
  const installed = packagesOf('.').filter(([path, { link, optional }]) => path && !link && !optional)
  expect(installed.length).toBeGreaterThan(100)
  expect(installed.length).toBeLessThan(300)
})
