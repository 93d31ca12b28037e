import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildGeneratedOnce } from '../build-generated.js'
import { readDestination } from '../pack-command.js'

// Packs the client library. This file is plain JavaScript and needs no package, so that it runs without a build.

const root = fileURLToPath(new URL('../..', import.meta.url))
const source = join(root, 'packages', 'sdk')

/**
 * Creates the folder that is published. It differs from `packages/sdk`, which is for work in this repository: there,
 * `exports` name sources, and the types are compiled together with those of the contract.
 * @param {string} folder is emptied first
 */
export function stagePackage(folder) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  compile(join(folder, 'esm'), [])
  // A package.json in this folder makes its files CommonJS, so their names and imports need not change.
  compile(join(folder, 'cjs'), ['--module', 'commonjs', '--moduleResolution', 'bundler'])
  writeJson(join(folder, 'cjs', 'package.json'), { type: 'commonjs', sideEffects: false })
  // Removes `rolecall-init`, which is a program, and which apps do not import.
  rmSync(join(folder, 'cjs', 'init'), { recursive: true })
  for (const name of readdirSync(join(folder, 'esm', 'init'))) {
    if (name.endsWith('.d.ts')) rmSync(join(folder, 'esm', 'init', name))
  }
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  writeJson(join(folder, 'package.json'), publishedManifest(manifest))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const readme = readFileSync(join(source, 'README.md'), 'utf8')
  writeFileSync(join(folder, 'README.md'), withAbsoluteLinks(readme, addressOf(manifest)))
}

/**
 * Packs a staged folder as it would be published, without requests to a registry.
 * @param {string} folder
 * @param {string} destination
 * @returns {string} the path of the tarball
 */
export function packFolder(folder, destination) {
  const args = ['pack', folder, '--pack-destination', destination, '--json', '--ignore-scripts']
  // Not in the folder of a workspace, where npm would warn that it packs another folder.
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', cwd: folder }))
  return join(destination, filename)
}

/**
 * Compiles without source maps, which would name files that are not packed.
 *
 * @param {string} outDir
 * @param {string[]} more
 */
function compile(outDir, more) {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
  const plain = ['--composite', 'false', '--incremental', 'false', '--sourceMap', 'false']
  const loose = ['--verbatimModuleSyntax', 'false']
  const project = ['-p', join(source, 'tsconfig.json'), '--outDir', outDir]
  execFileSync(process.execPath, [join(typescript, 'bin', 'tsc'), ...project, ...plain, ...loose, ...more], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  // Rewrites the extensions of imports in declarations. The compiler does that only in programs.
  const files = readdirSync(outDir, { encoding: 'utf8', recursive: true })
  for (const name of files.filter((one) => one.endsWith('.d.ts'))) {
    const path = join(outDir, name)
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(["']\.\.?\/[\w/-]+)\.ts(?=["'])/g, '$1.js'))
  }
}

/**
 * Returns the package.json of the published package. In `exports`, `module-sync` comes first, so that `require` and
 * `import` in one program get the same classes and the same cache. Runtimes and compilers that do not know it find the
 * ECMAScript module by `import`, and CommonJS by `require`.
 * @param {Record<string, any>} manifest
 */
function publishedManifest({ exports, private: _, devDependencies: __, scripts: ___, ...manifest }) {
  const entries = Object.entries(exports).map(([path, { development }]) => {
    const name = basename(development, '.ts')
    const esm = { types: `./esm/${name}.d.ts`, default: `./esm/${name}.js` }
    const cjs = { types: `./cjs/${name}.d.ts`, default: `./cjs/${name}.js` }
    return [path, { 'module-sync': esm, import: esm, require: cjs }]
  })
  return {
    ...manifest,
    exports: Object.fromEntries([...entries, ['./package.json', './package.json']]),
    bin: { 'rolecall-init': './esm/init/main.js' },
    // Tools that do not read `exports` use this field.
    main: './cjs/index.js',
    types: './cjs/index.d.ts',
    files: ['esm', 'cjs'],
  }
}

/**
 * Returns the web address of a page of the repository.
 * @param {{ repository: { url: string, directory: string } }} manifest
 */
function addressOf({ repository: { url, directory } }) {
  return new URL(`${url.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/main/${directory}/`)
}

/** @param {string} markdown @param {URL} from */
function withAbsoluteLinks(markdown, from) {
  return markdown.replace(/\]\((?!https?:|#)([^)\s]+)\)/g, (_, to) => `](${new URL(to, from).href})`)
}

/** @param {string} path @param {unknown} value */
function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const command = 'npm run pack -w packages/sdk --'
  const destination = readDestination(command, 'the client library', join(source, 'dist'))
  const folder = join(destination, 'package')
  await buildGeneratedOnce()
  stagePackage(folder)
  console.log(`${packFolder(folder, destination)}\nTo publish it: npm publish ${folder}`)
}
