import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { buildGeneratedOnce } from '../build-generated.js'
import { digestOf } from '../digest.js'
import { installOnce } from '../install-once.js'

// Builds the documentation site. This file is plain JavaScript, because not every supported version of Node.js runs
// TypeScript.

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = fileURLToPath(new URL('.', import.meta.url))
const dist = join(folder, 'dist')
/** The file with the digest of the sources. It is in the folder of the built site, so that it cannot be separated. */
const stampName = 'made-of'

/** The sources of the site, on which the digest depends. */
const sources = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'apps/api/src/features/docs',
  'clients/python/README.md',
  'docs',
  'packages/contract/src',
  ...['chat-sim', 'sdk', 'tenant-schema'].map((name) => `packages/${name}/README.md`),
  'tools/generate-endpoint.ts',
  'tools/site/build.js',
  'tools/site/package-lock.json',
  'tools/site/src',
]

/**
 * Builds the documentation site if its sources have changed since the last build. Installs its packages if they are
 * missing.
 *
 * @param {(line: string) => void} [say] receives one line if the user must wait
 * @throws Error if the site has problems, with one line for each
 */
export async function buildSiteOnce(say = console.error) {
  await buildGeneratedOnce()
  const digest = digestOf(sources)
  const stamp = join(dist, stampName)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  await installOnce('tools/site', say)
  say('Building the documentation site (only after a change, a few seconds)…')
  // Writes to another folder and then renames it. So concurrent builds do no harm, and no reader finds a partial site.
  const made = `${dist}-${process.pid}`
  try {
    mkdirSync(made, { recursive: true })
    const writeSite = await loadGenerator()
    const problems = await writeSite(root, made)
    if (problems.length > 0) throw new SiteProblems(problems)
    writeFileSync(join(made, stampName), digest)
    rmSync(dist, { recursive: true, force: true })
    renameSync(made, dist)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}

/**
 * Compiles the generator of the site, and returns its function.
 *
 * @returns {Promise<typeof import('./src/main.ts').writeSite>}
 */
async function loadGenerator() {
  const cache = join(folder, 'node_modules', '.cache')
  const program = join(cache, `build-${process.pid}.mjs`)
  const bundle = await rolldown({
    input: join(folder, 'src', 'main.ts'),
    platform: 'node',
    resolve: { conditionNames: ['development', 'import', 'node'] },
    // Does not bundle installed packages, except those of the workspace.
    external: /^(?!@rolecall\/|@oxc-project\/)[@a-z]/,
  })
  try {
    await bundle.write({ file: program, format: 'esm', codeSplitting: false })
    return (await import(pathToFileURL(program).href)).writeSite
  } finally {
    await bundle.close()
    rmSync(program, { force: true })
  }
}

class SiteProblems extends Error {
  name = 'SiteProblems'
  /** @param {readonly string[]} problems */
  constructor(problems) {
    super(`The documentation site has ${problems.length} problems:\n${problems.join('\n')}`)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    await buildSiteOnce()
    console.log(`The site is in ${dist}`)
  } catch (error) {
    if (!(error instanceof SiteProblems)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
