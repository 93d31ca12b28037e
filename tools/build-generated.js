import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { digestOf } from './digest.js'

// Runs the generators of sources that are not committed. This file is plain JavaScript, because it runs at the end of
// `npm ci`, before anything is built. Rolldown, which Vite contains, compiles the generators from TypeScript.

const root = fileURLToPath(new URL('..', import.meta.url))
const cache = join(root, 'node_modules', '.cache')
/** The file that lists the outputs of the last run, with a digest of the outputs and the sources. */
const stamp = join(cache, 'rolecall-generated.json')

/** The sources on which the outputs depend. */
const sources = [
  'clients/python/src/rolecall/async_client.py',
  'clients/python/src/rolecall/async_event_reader.py',
  'packages/contract/src',
  'packages/sdk/src/problem.ts',
  'packages/sdk/src/site/languages',
  'package-lock.json',
  'tools/build-generated.js',
  'tools/generated',
]

/**
 * Writes the sources that are generated and not committed: the types of the client library, the schemas of the
 * console's forms, and for Python the models, the texts of pages, and the synchronous client. Takes a few milliseconds
 * if they are up to date.
 */
export async function buildGeneratedOnce() {
  if (isUpToDate()) return
  const rolldown = await findRolldown()
  // A container image may install packages before it copies the sources, or without development packages.
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
 * Compiles and runs the generators. Not every supported version of Node.js runs TypeScript.
 *
 * @param {typeof import('rolldown').rolldown} rolldown
 * @returns {Promise<Record<string, string>>} the text of each output, by its path
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

/**
 * Writes a file if its text has changed. Builds detect changes by the date.
 *
 * @param {string} path
 * @param {string} text
 */
function writeIfChanged(path, text) {
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) replaceFile(path, text)
}

/**
 * Replaces a file atomically, so that a concurrent process never reads half of it.
 *
 * @param {string} path
 * @param {string} text
 */
function replaceFile(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  const made = `${path}.${process.pid}`
  writeFileSync(made, text)
  renameSync(made, path)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildGeneratedOnce()
