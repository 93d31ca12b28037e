import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { digestOf } from './digest.js'

// Plain JavaScript: it runs at the end of `npm ci`, before anything is built. Rolldown, which Vite is made of, compiles
// the TypeScript of the generators.

const root = fileURLToPath(new URL('..', import.meta.url))
const cache = join(root, 'node_modules', '.cache')
/** Names the outputs of the last run, with the digest of them and of their sources. */
const stamp = join(cache, 'rolecall-generated.json')

/** Everything whose change makes other outputs. */
const sources = [
  'clients/python/src/rolecall/async_client.py',
  'clients/python/src/rolecall/async_event_reader.py',
  'packages/contract/src',
  'package-lock.json',
  'tools/build-generated.js',
  'tools/generated',
]

/**
 * Writes the sources that are generated and not committed: the types of the client library, and the models and the
 * synchronous client for Python. Costs a few milliseconds while they are up to date.
 */
export async function buildGeneratedOnce() {
  if (isUpToDate()) return
  const rolldown = await findRolldown()
  // An image may install its packages before it has the sources, or without those that build.
  if (!rolldown || !existsSync(join(root, 'tools', 'generated'))) return
  const files = Object.entries(await generate(rolldown))
  for (const [path, text] of files) writeIfChanged(join(root, path), text)
  const outputs = files.map(([path]) => path)
  replaceFile(stamp, JSON.stringify({ outputs, digest: digestOf([...sources, ...outputs]) }))
}

function isUpToDate() {
  if (!existsSync(stamp)) return false
  const { outputs, digest } = JSON.parse(readFileSync(stamp, 'utf8'))
  return digestOf([...sources, ...outputs]) === digest
}

async function findRolldown() {
  try {
    return (await import('rolldown')).rolldown
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/**
 * Runs the generators, which are TypeScript, on every version of Node.js that the repository supports.
 *
 * @param {typeof import('rolldown').rolldown} rolldown
 * @returns {Promise<Record<string, string>>} path → text
 */
async function generate(rolldown) {
  const program = join(cache, `rolecall-generate-${process.pid}.mjs`)
  const bundle = await rolldown({
    input: join(root, 'tools', 'generated', 'files.ts'),
    platform: 'node',
    resolve: { conditionNames: ['development', 'import', 'node'] },
  })
  try {
    await bundle.write({ file: program, format: 'esm', codeSplitting: false })
    const { generatedFiles } = await import(pathToFileURL(program).href)
    return generatedFiles(root)
  } finally {
    await bundle.close()
    rmSync(program, { force: true })
  }
}

/** An unchanged file keeps its date, by which builds see what is new. @param {string} path @param {string} text */
function writeIfChanged(path, text) {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) replaceFile(path, text)
}

/** Replaces a file at once, so that a process that runs beside this one never reads half of it. @param {string} path @param {string} text */
function replaceFile(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  const made = `${path}.${process.pid}`
  writeFileSync(made, text)
  renameSync(made, path)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildGeneratedOnce()
