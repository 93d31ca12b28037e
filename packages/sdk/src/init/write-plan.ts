import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Change } from './plan.ts'

/**
 * Writes the changes of a plan, in their order. Appends to an existing file if possible.
 *
 * @throws if another process has created one of the new files in the meantime
 */
export function writeChanges(folder: string, changes: readonly Change[]): void {
  for (const { path, before, after, isSecret } of changes) {
    const file = join(folder, path)
    if (before === undefined) {
      mkdirSync(dirname(file), { recursive: true })
      // The flag `wx` fails if the file exists.
      writeFileSync(file, after, { flag: 'wx', mode: isSecret ? 0o600 : 0o666 })
    } else if (after.startsWith(before)) {
      appendFileSync(file, after.slice(before.length))
    } else {
      writeFileSync(file, after)
    }
  }
}
