import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** True if this process can install Debian's packages, as root on Debian. */
export const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

/** Returns the upstream version of an installed package of Debian. Undefined if it is not installed. */
export function debianVersion(name: string): string | undefined {
  if (!existsSync('/usr/bin/dpkg-query')) return undefined
  const { stdout } = spawnSync('dpkg-query', ['--status', name], { encoding: 'utf8' })
  const isInstalled = stdout.includes('\nStatus: install ok installed\n')
  return isInstalled ? /^Version: (?:\d+:)?([^-+\n]+)/m.exec(stdout)?.[1] : undefined
}

/** Installs missing packages of Debian, if this user can. Check afterward that the programs exist. */
export function installDebian(names: readonly string[]): void {
  const missing = names.filter((name) => debianVersion(name) === undefined)
  if (missing.length === 0 || !mayInstall) return
  console.log(`Installing ${missing.join(', ')} for the tests…`)
  // Waits for the lock, because other tests may install packages at the same time.
  const options = ['-o', 'DPkg::Lock::Timeout=300', '-qq']
  // In run level 1, no package starts its server.
  const silently = { stdio: 'ignore', env: { ...process.env, RUNLEVEL: '1' } } as const
  execFileSync('apt-get', [...options, 'update'], silently)
  execFileSync('apt-get', [...options, 'install', '-y', '--no-install-recommends', ...missing], silently)
}
