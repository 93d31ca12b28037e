import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installOnce } from '../tools/install-once.js'
import { packFolder, stagePackage } from '../tools/sdk/pack.js'

/** Thrown if an example cannot be prepared. The message tells the user why, in one sentence. */
export class CannotPrepare extends Error {}

/**
 * The examples, by name.
 * @typedef {{ program: string, start: (port: string) => string[], cwd: string }} Example
 * @type {Record<string, (name: string) => Example | Promise<Example>>}
 */
const ways = {
  express: inPlaceWithPackages,
  fastify: inPlace,
  hono: inPlaceWithPackages,
  next: (name) => {
    const next = 'node_modules/next/dist/bin/next'
    const cwd = build(name, [next, 'build'])
    return { ...node(cwd), start: (port) => [next, 'start', '-H', '127.0.0.1', '-p', port] }
  },
  sveltekit: (name) => {
    const cwd = build(name, ['node_modules/vite/bin/vite.js', 'build'])
    return { ...node(cwd), start: () => ['build/index.js'] }
  },
  'python-fastapi': inPython,
}

export const names = Object.keys(ways)

/**
 * Installs the packed client for an example, and returns how to start the example.
 * @param {string} name
 * @returns {Promise<Example>}
 * @throws CannotPrepare
 */
export const prepare = async (name) => ways[name](name)

const sourceOf = (name) => fileURLToPath(new URL(name, import.meta.url))
/** Returns the folder in which an example is prepared. It is next to the data of the demo. */
const builtIn = (name) => resolve('.rolecall/examples', name)
const node = (cwd) => ({ program: process.execPath, cwd })

/** Starts an example that uses the packages of the repository. */
function inPlace(name) {
  const cwd = sourceOf(name)
  installClient(cwd)
  return { ...node(cwd), start: () => ['app.js'] }
}

/** Starts an example that uses the packages from the lock file of this folder. */
async function inPlaceWithPackages(name) {
  try {
    await installOnce('examples', console.log)
  } catch (error) {
    throw new CannotPrepare(error.message)
  }
  return inPlace(name)
}

/**
 * Builds an example in a copy, so that no build output gets into the sources. Its packages are large, so they are
 * installed only for this example. As part of the workspace, every `npm ci` would install them.
 */
function build(name, args) {
  const folder = builtIn(name)
  copyInto(folder, sourceOf(name))
  if (!existsSync(join(folder, 'node_modules'))) {
    console.log(`Loading the packages of ${name}…`)
    const tarball = packFolder(stageClient(), folder)
    const options = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts']
    // Includes development packages, which npm would omit if NODE_ENV is `production`.
    run('npm', ['install', '--include=dev', ...options, tarball], folder)
  }
  installClient(folder)
  console.log(`Building ${name}…`)
  run(process.execPath, args, folder)
  return folder
}

/** Starts an example in Python, with the client installed in a folder of its own. */
function inPython(name) {
  const program = findPython()
  const folder = builtIn(name)
  copyInto(folder, sourceOf(name))
  // Builds the client from a copy, because the build adds files to the folder of the sources.
  const sources = join(folder, 'client')
  copyInto(sources, fileURLToPath(new URL('../clients/python', import.meta.url)))
  rmSync(join(folder, 'rolecall'), { recursive: true, force: true })
  // Installs into the folder of the program itself, where Python searches first.
  const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--upgrade', '--target', folder]
  // An isolated build would download the build tools from the package index, even if they are installed.
  const own = missing(program, ['setuptools', 'wheel']).length === 0 ? ['--no-build-isolation'] : []
  run(program, ['-m', 'pip', 'install', ...options, ...own, sources], folder)
  return { program, cwd: folder, start: () => ['app.py'] }
}

/**
 * Returns a Python program with the required packages. Also tries Debian's by its full path, because PATH may name
 * another.
 */
function findPython() {
  const needed = ['pip', 'cryptography', 'fastapi', 'httpx', 'uvicorn']
  const candidates = process.env.PYTHON ? [process.env.PYTHON] : ['python3', '/usr/bin/python3']
  const lacks = candidates.map((program) => ({ program, modules: missing(program, needed) }))
  const found = lacks.find(({ modules }) => modules.length === 0)
  if (found) return found.program
  const [{ program, modules }] = lacks
  throw new CannotPrepare(`${program} lacks ${modules.join(', ')}: ${basename(program)} -m pip install them.`)
}

function missing(program, modules) {
  const script =
    'import sys; from importlib.util import find_spec; print(*[m for m in sys.argv[1:] if not find_spec(m)])'
  try {
    const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }
    return execFileSync(program, ['-c', script, ...modules], options)
      .split(/\s+/)
      .filter((module) => module !== '')
  } catch {
    return modules
  }
}

/** Installs the client as it is published. The example then finds this one before the package of the workspace. */
function installClient(folder) {
  const place = join(folder, 'node_modules/@rolecall/sdk')
  rmSync(place, { recursive: true, force: true })
  cpSync(stageClient(), place, { recursive: true })
}

let staged
function stageClient() {
  if (staged) return staged
  staged = fileURLToPath(new URL('../node_modules/.cache/rolecall-client', import.meta.url))
  stagePackage(staged)
  return staged
}

/** Copies only the sources, without build outputs and installed packages. */
function copyInto(folder, source) {
  mkdirSync(folder, { recursive: true })
  cpSync(source, folder, {
    recursive: true,
    filter: (path) =>
      !/^(node_modules|build|\.next|\.svelte-kit|__pycache__|.*\.egg-info)$/.test(basename(path)),
  })
}

/** Runs a program. Its output is shown only if it fails. */
function run(program, args, cwd) {
  try {
    execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    throw new CannotPrepare(
      `${program} ${args[0]} has failed:\n${error.stdout ?? ''}${error.stderr ?? error.message}`,
    )
  }
}
