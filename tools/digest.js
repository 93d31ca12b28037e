import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Returns one hash of the names and contents of files. Skips tests, because no build output depends on them.
 *
 * @param {readonly string[]} paths files and folders, relative to the root of the repository. Missing ones are skipped.
 */
export function digestOf(paths) {
  const hash = createHash('sha256')
  for (const path of paths.flatMap((one) => listFiles(join(root, one)))) {
    if (/\.test\.tsx?$/.test(path)) continue
    hash.update(`${relative(root, path)}\n`).update(readFileSync(path))
  }
  return hash.digest('hex')
}

/** @param {string} path @returns {string[]} */
function listFiles(path) {
  if (!existsSync(path)) return []
  try {
    return readdirSync(path)
      .sort()
      .flatMap((name) => listFiles(join(path, name)))
  } catch {
    return [path]
  }
}
