import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** True for root on Debian, who can install packages. */
export const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

/** Returns the upstream version of an installed package of Debian, or undefined. */
export function debianVersion(name: string): string | undefined {
  if (!existsSync('/usr/bin/dpkg-query')) return undefined
  const { stdout } = spawnSync('dpkg-query', ['--status', name], { encoding: 'utf8' })
  const isInstalled = stdout.includes('\nStatus: install ok installed\n')
  return isInstalled ? /^Version: (?:\d+:)?([^-+\n]+)/m.exec(stdout)?.[1] : undefined
}

/** Installs missing packages that tests need, if this user can. Callers check for the programs afterwards. */
export function installDebian(names: readonly string[]): void {
  const missing = names.filter((name) => debianVersion(name) === undefined)
  if (missing.length === 0 || !mayInstall) return
  console.log(`Installing ${missing.join(', ')} for the tests…`)
  // Tests that run at the same time install packages, too.
  const options = ['-o', 'DPkg::Lock::Timeout=300', '-qq']
  // Without a run level no package starts a server of its own.
  const silently = { stdio: 'ignore', env: { ...process.env, RUNLEVEL: '1' } } as const
  execFileSync('apt-get', [...options, 'update'], silently)
  execFileSync('apt-get', [...options, 'install', '-y', '--no-install-recommends', ...missing], silently)
}
