import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildConsoleOnce } from './build-console.js'
import { buildGeneratedOnce } from './build-generated.js'

// Builds the workspace and the console if something has changed. This file is plain JavaScript and needs no package,
// because it runs before anything is built.

const root = fileURLToPath(new URL('..', import.meta.url))
/** The file that is written after each successful build. It is not committed, and a fresh install deletes it. */
const stamp = join(root, 'node_modules', '.cache', 'rolecall-built')

/**
 * Compiles the workspace if a file that `tsc -b` reads is newer than the last build, or if an output is missing. Builds
 * the console if it has changed. Writes generated sources first. If nothing has changed, it only checks the dates of
 * the files.
 *
 * @param {(line: string) => void} [say] receives one line if the user must wait
 */
export async function buildOnce(say = console.error) {
  // Both builds read the generated sources.
  await buildGeneratedOnce()
  await Promise.all([compileOnce(say), buildConsoleOnce(say)])
}

/** @param {(line: string) => void} say */
async function compileOnce(say) {
  const projects = readProjects()
  const isWhole = projects.every((folder) => existsSync(join(folder, 'dist')))
  if (isWhole && existsSync(stamp) && newest(projects) < statSync(stamp).mtimeMs) return
  say('Building (only after a change, a few seconds)…')
  // If an output is missing, deletes the compiler's build information. With it, the compiler would not write the
  // output.
  if (!isWhole) for (const folder of projects) rmSync(join(folder, 'tsconfig.tsbuildinfo'), { force: true })
  const startedAt = new Date()
  await compile()
  mkdirSync(dirname(stamp), { recursive: true })
  // Writes the time of the start. A file that was saved while the compiler ran may not be in the output.
  writeFileSync(stamp, `${startedAt.toISOString()}\n`)
  utimesSync(stamp, startedAt, startedAt)
}

/** Returns the folders to which the root `tsconfig.json` refers. */
function readProjects() {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  return references.map((/** @type {{ path: string }} */ { path }) => join(root, path))
}

/** Returns the time of the last change to any input of the compiler, in milliseconds. @param {string[]} projects */
function newest(projects) {
  const settings = ['tsconfig.json', 'tsconfig.base.json', 'package-lock.json'].map((name) =>
    join(root, name),
  )
  const own = projects.flatMap((folder) =>
    ['tsconfig.json', 'package.json'].map((name) => join(folder, name)),
  )
  const sources = projects.flatMap((folder) => {
    const src = join(folder, 'src')
    // Includes the folders, because deleting a file changes the date of its folder.
    const below = readdirSync(src, { recursive: true, withFileTypes: true })
    return [src, ...below.map((entry) => join(entry.parentPath, entry.name))]
  })
  return Math.max(...[...settings, ...own, ...sources].map((path) => statSync(path).mtimeMs))
}

/**
 * Compiles without checking types, which would take most of the time of a build. `npm run typecheck` checks them.
 *
 * @returns {Promise<void>}
 */
function compile() {
  const { resolve: find } = createRequire(import.meta.url)
  let typescript
  try {
    typescript = dirname(find('typescript/package.json'))
  } catch {
    return Promise.reject(new Error('Packages are missing. Run: npm ci'))
  }
  const tsc = spawn(process.execPath, [join(typescript, 'bin', 'tsc'), '-b', '--noCheck'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    tsc.once('error', reject)
    tsc.once('exit', (code) => (code === 0 ? resolve() : reject(new BuildFailed())))
  })
}

class BuildFailed extends Error {
  name = 'BuildFailed'
  message = 'The build failed. The errors are above.'
}
