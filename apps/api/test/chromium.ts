import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The chromium of the system: nothing is downloaded for the tests. */
export function findChromium(): string {
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync)
  if (!found) throw new Error(`None of ${names.join(', ')} is on the PATH.`)
  return found
}
