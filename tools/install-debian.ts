import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Returns the upstream version of an installed package of Debian, or undefined. */
export function debianVersion(name: string): string | undefined {
  if (!existsSync('/usr/bin/dpkg-query')) return undefined
  const { stdout } = spawnSync('dpkg-query', ['--status', name], { encoding: 'utf8' })
  const isInstalled = stdout.includes('\nStatus: install ok installed\n')
  return isInstalled ? /^Version: (?:\d+:)?([^-+\n]+)/m.exec(stdout)?.[1] : undefined
}

/** Installs missing packages as root on Debian, for tests that are skipped without them. */
export function installDebian(names: readonly string[]): void {
  const missing = names.filter((name) => debianVersion(name) === undefined)
  if (missing.length === 0 || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  console.log(`Installing ${missing.join(', ')} for the tests…`)
  // Tests that run at the same time install packages, too.
  const options = ['-o', 'DPkg::Lock::Timeout=300', '-qq']
  execFileSync('apt-get', [...options, 'update'], { stdio: 'ignore' })
  const install = [...options, 'install', '-y', '--no-install-recommends', ...missing]
  execFileSync('apt-get', install, { stdio: 'ignore' })
}
