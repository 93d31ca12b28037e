import { spawn } from 'node:child_process'

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Opens the address in a browser if the system has a program for that. The caller prints the address in any case.
 *
 * The list of processes shows the address, but it holds no secret that redeems a code. A file that redirects would hide it, but
 * browsers in a container (Snap, Flatpak) cannot read one.
 */
export function openBrowser(address: string): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
