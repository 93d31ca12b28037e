import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { extname, join, posix } from 'node:path'

/** The files of the site, by their path within the site. */
export type SiteFiles = Map<string, string | Buffer>

/** Adds a file with a digest of its content in its name, so that browsers can cache it forever. Returns its path. */
export function addAsset(files: SiteFiles, name: string, content: string | Buffer): string {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 12)
  const extension = extname(name)
  const path = `assets/${name.slice(0, name.length - extension.length)}-${digest}${extension}`
  files.set(path, content)
  return path
}

/** Returns a function that adds a picture of a page to the site. It returns the picture's path, or undefined. */
export function createPictures(root: string, files: SiteFiles) {
  const added = new Map<string, string>()
  return (from: string, path: string): string | undefined => {
    const source = posix.join(posix.dirname(from), path)
    // Ignores addresses of other origins, and paths outside of the repository.
    if (/^(\w+:|\/)/.test(path) || source.startsWith('..') || !existsSync(join(root, source)))
      return undefined
    const known =
      added.get(source) ?? addAsset(files, posix.basename(source), readFileSync(join(root, source)))
    added.set(source, known)
    return known
  }
}

/** The icon of the site. */
export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#4a48d4"/><path d="M4 8.5 7 11l5-6" stroke="#fff" stroke-width="2" fill="none"/></svg>\n'
