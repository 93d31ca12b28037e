import { spawn } from 'node:child_process'

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Opens an address in a browser, if the system has a program for that. Fails silently, because the caller prints the
 * address, too.
 *
 * Other users can see the address in the list of processes. It contains nothing with which a code can be redeemed. A
 * file that redirects would hide the address, but browsers in a container (Snap, Flatpak) cannot read such a file.
 */
export function openBrowser(address: string): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
