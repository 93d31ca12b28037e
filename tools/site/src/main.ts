import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeSite, readSources } from './site.ts'

/**
 * Writes the site to a folder. Writes nothing if the site has problems.
 *
 * @returns the problems
 */
export async function writeSite(root: string, folder: string): Promise<readonly string[]> {
  const { files, problems } = await makeSite(root, readSources(root))
  if (problems.length > 0) return problems
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return []
}
