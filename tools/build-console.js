import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

// Plain JavaScript on Node's own modules, but for Vite itself: it runs at the end of `npm ci`, before anything is built.

const root = fileURLToPath(new URL('..', import.meta.url))
const consoleFolder = join(root, 'apps', 'console')
const dist = join(consoleFolder, 'dist')
/** What the built console was made of. With it, so that nobody has one without the other. */
const stampName = 'made-of'

/** Everything whose change makes another console. */
const sources = [
  'apps/console/src',
  'apps/console/index.html',
  'apps/console/package.json',
  'apps/console/vite.config.js',
  'docs/guides/inbound-webhooks.md',
  'docs/guides/stacks',
  'packages/contract/src',
  'packages/sdk/src',
  'packages/tenant-schema/src',
  'package-lock.json',
  'tools/build-console.js',
]

/**
 * Builds the console when what it is made of is not what the last build was made of.
 *
 * @param {(line: string) => void} [say] gets one line when there is something to wait for
 */
export async function buildConsoleOnce(say = console.error) {
  const digest = digestOfSources()
  const stamp = join(dist, stampName)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  const vite = findVite()
  // An image installs packages before it has the sources, or has the console as it was built elsewhere.
  if (!vite || !existsSync(join(consoleFolder, 'index.html'))) return
  say('Building the console (only after a change, a few seconds)…')
  // Made beside it and then put in its place: two at once do no harm, and nobody finds half of it.
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
    await compressAssets(join(made, 'assets'))
    writeFileSync(join(made, stampName), digest)
    rmSync(dist, { recursive: true, force: true })
    renameSync(made, dist)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

function digestOfSources() {
  const hash = createHash('sha256')
  for (const path of sources.flatMap((one) => listFiles(join(root, one)))) {
    if (/\.test\.tsx?$/.test(path)) continue
    hash.update(`${relative(root, path)}\n`).update(readFileSync(path))
  }
  return hash.digest('hex')
}

/** @param {string} path @returns {string[]} */
function listFiles(path) {
  if (!existsSync(path)) return []
  try {
    return readdirSync(path)
      .sort()
      .flatMap((name) => listFiles(join(path, name)))
  } catch {
    return [path]
  }
}

function findVite() {
  try {
    return dirname(createRequire(join(consoleFolder, 'package.json')).resolve('vite/package.json'))
  } catch {
    return undefined
  }
}

/** Once, here, and harder than a service could for each request. */
/** @param {string} assets */
async function compressAssets(assets) {
  const brotli = promisify(brotliCompress)
  const zip = promisify(gzip)
  await Promise.all(
    readdirSync(assets).map(async (name) => {
      const path = join(assets, name)
      const bytes = readFileSync(path)
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: 11,
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
      code === 0
        ? resolve()
        : reject(new Error('The console could not be built; what is wrong stands above.')),
    )
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildConsoleOnce()
