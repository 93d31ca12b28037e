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

// Plain JavaScript on Node's own modules: this runs before anything is built.

const root = fileURLToPath(new URL('..', import.meta.url))
/** Touched after each good build. Not in the repository, and gone with a fresh install. */
const stamp = join(root, 'node_modules', '.cache', 'rolecall-built')

/**
 * Compiles the workspace if a file that `tsc -b` reads is newer than the last build or an output is missing, and builds the
 * console if it changed. Generated sources come first. If nothing changed, this only walks the sources.
 *
 * @param {(line: string) => void} [say] gets one line when there is something to wait for
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
  // The compiler trusts its notes and ignores missing outputs: without the notes it writes them again.
  if (!isWhole) for (const folder of projects) rmSync(join(folder, 'tsconfig.tsbuildinfo'), { force: true })
  const startedAt = new Date()
  await compile()
  mkdirSync(dirname(stamp), { recursive: true })
  // A file that was saved while the compiler ran may not be in its output, so the stamp has the time of the start.
  writeFileSync(stamp, `${startedAt.toISOString()}\n`)
  utimesSync(stamp, startedAt, startedAt)
}

/** The folders that the root `tsconfig.json` refers to. */
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
    // Folders count, too: deleting a file changes the date of its folder.
    const below = readdirSync(src, { recursive: true, withFileTypes: true })
    return [src, ...below.map((entry) => join(entry.parentPath, entry.name))]
  })
  return Math.max(...[...settings, ...own, ...sources].map((path) => statSync(path).mtimeMs))
}

/**
 * Compiles without checking types, because checking takes most of a build. `npm run typecheck` checks them.
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
  message = 'The build failed; what is wrong stands above.'
}
