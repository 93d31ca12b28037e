import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Change } from './plan.ts'

/** Creates and extends files. Never replaces an existing file with another. */
export function writeChanges(folder: string, changes: readonly Change[]): void {
  for (const { path, before, after, isSecret } of changes) {
    const file = join(folder, path)
    if (before === undefined) {
      mkdirSync(dirname(file), { recursive: true })
      // Fails if another process has created the file in the meantime.
      writeFileSync(file, after, { flag: 'wx', mode: isSecret ? 0o600 : 0o666 })
    } else if (after.startsWith(before)) {
      appendFileSync(file, after.slice(before.length))
    } else {
      writeFileSync(file, after)
    }
  }
}
