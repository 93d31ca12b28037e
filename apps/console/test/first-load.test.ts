import { beforeAll, expect, test } from 'vitest'
import { buildConsoleOnce } from '../../../tools/build-console.js'
import { firstLoad, type Manifest, maxFirstLoadBytes, pagesOf, readManifest } from './first-load.ts'

let manifest: Manifest
beforeAll(async () => {
  await buildConsoleOnce()
  manifest = readManifest()
}, 120_000)

test('every page loads at most 150 kB until it can be used', () => {
  const pages = pagesOf(manifest)
  expect(pages.length).toBeGreaterThan(25)
  const sizes = pages.map((page) => [page, firstLoad(manifest, page)] as const)
  for (const [page, bytes] of sizes) expect(bytes, page).toBeGreaterThan(80_000)
  expect(sizes.filter(([, bytes]) => bytes > maxFirstLoadBytes)).toEqual([])
})

test('a page that imports something large is found, and one that loads it later is not', () => {
  const large = { file: 'large.js', imports: ['shared'] }
  const planted: Manifest = {
    'index.html': { file: 'index.js', imports: ['shared'], dynamicImports: ['src/features/a.tsx'] },
    'src/features/a.tsx': { file: 'a.js', imports: ['large'], css: ['a.css'] },
    'src/features/b.tsx': { file: 'b.js', dynamicImports: ['large'] },
    shared: { file: 'shared.js' },
    large,
  }
  const size = (file: string) => (file === 'large.js' ? 200 : 1)
  expect(firstLoad(planted, 'src/features/a.tsx', size)).toBe(204)
  expect(firstLoad(planted, 'src/features/b.tsx', size)).toBe(3)
})
