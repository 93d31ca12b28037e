import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { buildGeneratedOnce } from './build-generated.js'
import { digestOf } from './digest.js'

// Builds the console. This file is plain JavaScript and needs no package except Vite, because it runs at the end of
// `npm ci`, before anything is built.

const root = fileURLToPath(new URL('..', import.meta.url))
const consoleFolder = join(root, 'apps', 'console')
const dist = join(consoleFolder, 'dist')
/**
 * The Brotli quality of the console's files. `best` takes three seconds of processor time and makes them 7 % smaller.
 * Releases use it (`npm run build`). `npm ci`, `npm start`, and the tests use `quick`.
 */
const qualities = { quick: 9, best: constants.BROTLI_MAX_QUALITY }
/**
 * The file with the digest of the sources. It is in the folder of the built console, so that it cannot be separated.
 */
const stampName = 'made-of'

/** The sources of the console, on which the digest depends. */
const sources = [
  'apps/console/src',
  'apps/console/index.html',
  'apps/console/package.json',
  'apps/console/vite.config.js',
  'clients/python/README.md',
  'docs/guides/inbound-webhooks.md',
  'docs/guides/stacks',
  'packages/contract/package.json',
  'packages/contract/src',
  'packages/sdk/src',
  'packages/tenant-schema/src',
  'package-lock.json',
  'tools/build-console.js',
]

/**
 * Builds the console if its sources have changed since the last build.
 *
 * @param {(line: string) => void} [say] receives one line if the user must wait
 * @param {keyof typeof qualities} [quality] the minimum quality. A console with a better quality is not built again.
 */
export async function buildConsoleOnce(say = console.error, quality = 'quick') {
  await buildGeneratedOnce()
  const digest = digestOf(sources)
  const stamp = join(dist, stampName)
  const wanted = [quality, 'best'].map((one) => `${digest} ${one}`)
  if (existsSync(stamp) && wanted.includes(readFileSync(stamp, 'utf8'))) return
  const vite = findVite()
  // Does nothing without the sources or Vite. A container image installs packages before it copies the sources.
  if (!vite || !existsSync(join(consoleFolder, 'index.html'))) return
  say('Building the console (only after a change, a few seconds)…')
  // Builds in another folder and then renames it. So concurrent builds do no harm, and no reader finds a partial build.
  const made = `${dist}-${process.pid}`
  try {
    await run([
      join(vite, 'bin', 'vite.js'),
      'build',
      '--logLevel',
      'warn',
      '--outDir',
      made,
      '--emptyOutDir',
    ])
    await compressAssets(join(made, 'assets'), qualities[quality])
    writeFileSync(join(made, stampName), `${digest} ${quality}`)
    rmSync(dist, { recursive: true, force: true })
    renameSync(made, dist)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

function findVite() {
  try {
    return dirname(createRequire(join(consoleFolder, 'package.json')).resolve('vite/package.json'))
  } catch {
    return undefined
  }
}

/** Compresses the files once, and better than the service could do it for each request. */
/** @param {string} assets @param {number} quality */
async function compressAssets(assets, quality) {
  const brotli = promisify(brotliCompress)
  const zip = promisify(gzip)
  await Promise.all(
    readdirSync(assets).map(async (name) => {
      const path = join(assets, name)
      const bytes = readFileSync(path)
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      }
      writeFileSync(`${path}.br`, await brotli(bytes, { params }))
      writeFileSync(`${path}.gz`, await zip(bytes, { level: 9 }))
    }),
  )
}

/** @param {string[]} args @returns {Promise<void>} */
function run(args) {
  const { NODE_ENV: _, ...env } = process.env
  const vite = spawn(process.execPath, args, {
    cwd: consoleFolder,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    vite.once('error', reject)
    vite.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error('The console could not be built. The errors are above.')),
    )
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await buildConsoleOnce(console.error, process.argv.includes('--best') ? 'best' : 'quick')
}
