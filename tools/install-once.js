import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

// Installs packages of folders outside the workspace. This file is plain JavaScript and needs no package, because it
// runs before anything is built.

const root = fileURLToPath(new URL('..', import.meta.url))
/**
 * The copy of the lock file after a complete installation. An incomplete one has none, because `npm ci` deletes it
 * first.
 */
const stampName = '.installed-lock.json'

/**
 * Installs the packages of a folder that has its own lock file, when they are missing or the lock file has changed.
 *
 * Such folders are not workspaces, so that `npm ci` in the root installs only what `npm start` and `npm test` need.
 *
 * @param {string} folder relative to the root of the repository
 * @param {(line: string) => void} [say] receives one line if packages are installed
 */
export async function installOnce(folder, say = console.error) {
  if (isInstalled(folder)) return
  const claim = await claimed(folder)
  try {
    if (isInstalled(folder)) return
    say(`Installing the packages of ${folder} (once)…`)
    await install(join(root, folder), folder)
    writeFileSync(stampOf(folder), lockOf(folder))
  } finally {
    rmSync(claim, { force: true })
  }
}

/**
 * Waits until no other process installs the packages of this folder, because `npm ci` would delete what the other one
 * has written. Returns the file that makes other processes wait. Delete it at the end.
 *
 * @param {string} folder
 * @returns {Promise<string>}
 */
async function claimed(folder) {
  const claim = join(root, 'node_modules', '.cache', `installing-${folder.replaceAll(/\W+/g, '-')}`)
  mkdirSync(dirname(claim), { recursive: true })
  for (;;) {
    try {
      writeFileSync(claim, String(process.pid), { flag: 'wx' })
      return claim
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      if (isAbandoned(claim)) rmSync(claim, { force: true })
      else await sleep(200)
    }
  }
}

/** Returns true if the process that created a claim has ended. @param {string} claim */
function isAbandoned(claim) {
  try {
    const pid = Number(readFileSync(claim, 'utf8'))
    // The process ID is 0 until it is written, a moment after the file was created.
    if (pid !== 0) process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

/**
 * Returns true if the packages of a folder are those of its lock file.
 *
 * @param {string} folder relative to the root of the repository
 */
export const isInstalled = (folder) =>
  existsSync(stampOf(folder)) && readFileSync(stampOf(folder), 'utf8') === lockOf(folder)

/** @param {string} folder */
const stampOf = (folder) => join(root, folder, 'node_modules', stampName)

/** @param {string} folder */
const lockOf = (folder) => readFileSync(join(root, folder, 'package-lock.json'), 'utf8')

/**
 * Runs `npm ci`, with the install scripts of packages only if the folder's package.json allows some. Of the others, none
 * needs its script, and one would send statistics.
 *
 * @param {string} cwd
 * @param {string} folder
 * @returns {Promise<void>}
 */
function install(cwd, folder) {
  const failed = new Error(`The packages of ${folder} were not installed. Run: npm ci --prefix ${folder}`)
  const { allowScripts } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))
  const args = ['ci', '--include=dev', `--ignore-scripts=${!allowScripts}`, '--loglevel=error']
  const npm = spawn('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  return new Promise((resolve, reject) => {
    npm.once('error', () => reject(failed))
    npm.once('exit', (code) => (code === 0 ? resolve() : reject(failed)))
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const folder of process.argv.slice(2)) await installOnce(folder)
}
