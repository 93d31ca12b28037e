import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian's package of Chromium without a window. A page takes less than half of the processor time with it. */
export const headlessShell = 'chromium-headless-shell'

/** The names of the browser's program. The first one on the PATH is used. */
export const chromiumNames = [headlessShell, 'chromium', 'chromium-browser', 'google-chrome']

/** Returns options that launch the installed browser, so that tests download none. */
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
