import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The package of Debian with the engine of Chromium and no window: a page takes less than half of the processor time. */
export const headlessShell = 'chromium-headless-shell'

/** Names of the program. The first that is on the PATH is used. */
export const chromiumNames = [headlessShell, 'chromium', 'chromium-browser', 'google-chrome']

/** Returns launch options for the browser of the system, so that tests download none. */
export const chromiumOptions = (...args: string[]) => ({
  executablePath: findChromium(),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    ...args,
  ],
})

function findChromium(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = chromiumNames
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((file) => existsSync(file))
  if (!found) throw new Error(`None of ${chromiumNames.join(', ')} is on the PATH.`)
  return found
}
