import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of the built console, as Vite's manifest describes it. */
interface BuiltModule {
  readonly file: string
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
  readonly css?: readonly string[]
}

export type Manifest = Readonly<Record<string, BuiltModule>>

/** The maximum number of bytes, compressed with gzip, that a page may load before it can be used. */
export const maxFirstLoadBytes = 150_000
const dist = fileURLToPath(new URL('../dist', import.meta.url))
const entry = 'index.html'

export const readManifest = (): Manifest =>
  JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Manifest

/** Returns the size of a built file compressed with gzip, in bytes. */
export const gzipBytes = (file: string): number => {
  const path = join(dist, `${file}.gz`)
  return existsSync(path) ? statSync(path).size : 0
}

/** Lists the pages of the console, by their source files. */
export const pagesOf = (manifest: Manifest): string[] =>
  (manifest[entry]?.dynamicImports ?? []).filter((name) => name.startsWith('src/features/'))

/** Lists the files that a browser loads before a page can be used: the shell, the page, and all that they import. */
function filesOf(manifest: Manifest, page: string): string[] {
  const seen = new Set<string>()
  const files = new Set<string>()
  const visit = (name: string) => {
    if (seen.has(name)) return
    seen.add(name)
    const { file, imports = [], css = [] } = manifest[name] ?? { file: '' }
    for (const one of [file, ...css]) files.add(one)
    imports.forEach(visit)
  }
  visit(entry)
  visit(page)
  return [...files]
}

/** Returns the bytes that a browser loads before a page can be used. */
export const firstLoad = (manifest: Manifest, page: string, size = gzipBytes): number =>
  filesOf(manifest, page).reduce((total, file) => total + size(file), 0)
