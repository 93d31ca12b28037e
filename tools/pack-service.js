import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { readDestination } from './pack-command.js'
import { buildSiteOnce } from './site/build.js'

// Packs the service as one package, `rolecall`, which is published, and installed by `npm install` and in the image.
// Run `npm run build` first. This program builds the documentation site itself.

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (/** @type {string} */ path) => JSON.parse(readFileSync(join(root, path), 'utf8'))

/**
 * Creates the folder that is published. It contains the built service, its migrations, its console, the documentation
 * site, the workspace packages that it imports (as folders), and `npm-shrinkwrap.json` with the exact versions of its
 * dependencies from this lock file.
 *
 * @param {string} folder emptied first
 */
export function stageService(folder) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  copyProgram('apps/api/bin', join(folder, 'bin'))
  copyProgram('apps/api/dist', join(folder, 'dist'))
  cpSync(join(root, 'apps/api/migrations'), join(folder, 'migrations'), { recursive: true })
  const built = join(root, 'apps/console/dist')
  if (!existsSync(built)) throw new Error('apps/console/dist is missing. Run: npm run build')
  // Omits the file with the digest of the sources.
  cpSync(built, join(folder, 'console'), { recursive: true, filter: (path) => !path.endsWith('made-of') })
  copySite(join(folder, 'site'))
  for (const name of ['LICENSE', 'CHANGELOG.md']) cpSync(join(root, name), join(folder, name))
  cpSync(join(root, 'deploy/package-readme.md'), join(folder, 'README.md'))
  for (const name of included) copyProgram(`packages/${name}/dist`, join(folder, name))
  const manifest = publishedManifest()
  const locked = lockedFor(manifest)
  write(folder, manifest, locked)
  // Creates the bill of materials before the versions are pinned. Afterward, the manifest no longer says which package
  // needs which.
  writeJson(join(folder, 'sbom.cdx.json'), billOfMaterials(folder, manifest.name))
  write(folder, { ...manifest, ...pins(locked) }, locked)
}

/**
 * Packs a staged folder as it would be published, without requests to a registry.
 * @param {string} folder
 * @param {string} destination
 * @returns {string} the path of the tarball
 */
export function packService(folder, destination) {
  const args = ['pack', folder, '--pack-destination', destination, '--json', '--ignore-scripts']
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 1e8 }))
  return join(destination, filename)
}

/** @typedef {Record<string, { version: string, optional?: boolean }>} Locked */
/** @typedef {ReturnType<typeof publishedManifest> & { optionalDependencies?: Record<string, string> }} Manifest */

const inModules = 'node_modules/'
/** The workspace packages that are included in the published package. */
const included = ['contract', 'tenant-schema']
const includedImport = new RegExp(
  `(?<=\\bfrom |\\bimport |\\bimport\\()(['"])@rolecall/(${included.join('|')})(/[\\w-]+)?\\1`,
  'g',
)

/** Copies a build, without the files that only compilers and debuggers read. @param {string} from @param {string} to */
function copyProgram(from, to) {
  const source = join(root, from)
  if (!existsSync(source)) throw new Error(`${from} is missing. Run: npm run build`)
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!/\.c?js$/.test(name)) continue
    const text = readFileSync(join(source, name), 'utf8')
    mkdirSync(dirname(join(to, name)), { recursive: true })
    writeFileSync(
      join(to, name),
      text.replace(includedImport, "'#$2$3'").replace(/^\/\/# sourceMappingURL=.*$/m, ''),
    )
  }
}

/** Copies the documentation site, without the file with the digest of its sources. @param {string} to */
function copySite(to) {
  const built = join(root, 'tools/site/dist')
  if (!existsSync(built)) throw new Error('tools/site/dist is missing. Run: npm run docs:site')
  cpSync(built, to, { recursive: true, filter: (path) => !path.endsWith('made-of') })
}

function publishedManifest() {
  const {
    private: _,
    devDependencies: __,
    exports: ___,
    scripts: ____,
    imports,
    dependencies,
    ...api
  } = read('apps/api/package.json')
  const manifests = included.map((name) => read(`packages/${name}/package.json`))
  const needed = Object.assign({}, dependencies, ...manifests.map((one) => one.dependencies))
  const own = Object.keys(needed).filter((name) => !manifests.some((one) => one.name === name))
  const lock = read('package-lock.json').packages
  return {
    ...api,
    name: 'rolecall',
    description: read('package.json').description,
    repository: read('packages/sdk/package.json').repository.url,
    imports: {
      ...Object.fromEntries(Object.entries(imports).map(([path, { default: target }]) => [path, target])),
      ...Object.fromEntries(manifests.flatMap(importsOfPackage)),
    },
    dependencies: Object.fromEntries(
      own.sort().map((name) => [name, lock[find(lock, 'apps/api', name) ?? '']?.version]),
    ),
    files: [
      'bin',
      'dist',
      ...included,
      'console',
      'site',
      'migrations',
      'CHANGELOG.md',
      'npm-shrinkwrap.json',
      'sbom.cdx.json',
    ],
  }
}

/**
 * Returns the `imports` of the published package that replace the exports of a workspace package. `@rolecall/x/part`
 * becomes `#x/part`.
 *
 * @param {{ name: string, exports: Record<string, { default: string }> }} manifest
 */
function importsOfPackage({ name, exports }) {
  const folder = name.replace('@rolecall/', '')
  return Object.entries(exports).map(([path, { default: target }]) => [
    `#${folder}${path.slice(1)}`,
    target.replace('./dist/', `./${folder}/`),
  ])
}

/**
 * Returns the entries of this repository's lock file that the service needs, by their place in `node_modules`.
 * @param {Manifest} manifest
 */
function lockedFor({ dependencies }) {
  const lock = read('package-lock.json').packages
  /** @type {Locked} */
  const packages = {}
  const open = Object.keys(dependencies).map((one) => ({ name: one, from: 'apps/api' }))
  for (let next = open.pop(); next; next = open.pop()) {
    const path = find(lock, next.from, next.name)
    // Skips an optional package for another platform, and a peer dependency that is not installed.
    if (!path) continue
    const target = path.replace(/^apps\/api\//, '')
    if (packages[target]) continue
    const { dev: _, devOptional: __, ...entry } = lock[path]
    packages[target] = entry
    const needed = { ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies }
    open.push(...Object.keys(needed).map((one) => ({ name: one, from: path })))
  }
  return Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Lists all packages at the top level of the lock file as direct dependencies with exact versions. Otherwise, npm would
 * choose versions that were not tested: it ignores the shrinkwrap of a tarball in a file, and all `overrides` except
 * those of the project into which it installs. npm still chooses the few packages that the lock file has only within
 * another one.
 * @param {Locked} locked
 */
function pins(locked) {
  /** @param {boolean} areOptional */
  const versions = (areOptional) =>
    Object.fromEntries(
      Object.entries(locked)
        .filter(
          ([path, { optional = false }]) => path.lastIndexOf(inModules) === 0 && optional === areOptional,
        )
        .map(([path, { version }]) => [path.slice(inModules.length), version]),
    )
  return { dependencies: versions(false), optionalDependencies: versions(true) }
}

/** @param {string} folder @param {Manifest} manifest @param {Locked} locked */
function write(folder, manifest, locked) {
  const { name, version, license, engines, bin, dependencies, optionalDependencies } = manifest
  const own = { name, version, license, engines, bin, dependencies, optionalDependencies }
  writeJson(join(folder, 'package.json'), manifest)
  writeJson(join(folder, 'npm-shrinkwrap.json'), {
    ...{ name, version, lockfileVersion: 3, requires: true },
    packages: { '': own, ...locked },
  })
}

/**
 * Returns the bill of materials (CycloneDX), which npm creates from the shrinkwrap without requests to a registry.
 * Removes the time and the serial number, which are optional, so that the same sources give the same list.
 * @param {string} folder
 * @param {string} name
 */
function billOfMaterials(folder, name) {
  const args = ['sbom', '--package-lock-only', '--omit', 'dev', '--sbom-format', 'cyclonedx']
  const options = /** @type {const} */ ({ cwd: folder, encoding: 'utf8', maxBuffer: 1e8 })
  const text = execFileSync('npm', [...args, '--sbom-type', 'application'], options)
  const { serialNumber: _, metadata, ...bill } = JSON.parse(text)
  const { timestamp: __, component, ...about } = metadata
  // Replaces the name, because npm uses the name of the folder.
  return { ...bill, metadata: { ...about, component: { ...component, name } } }
}

/**
 * Returns the place of a package that a module would import, as Node.js finds it: in the nearest `node_modules` above.
 * @param {Record<string, unknown>} lock
 * @param {string} from
 * @param {string} name
 */
function find(lock, from, name) {
  for (let place = from; ; place = place.replace(/\/?(node_modules\/(@[^/]+\/)?[^/]+|[^/]+)$/, '')) {
    const path = place === '' ? `node_modules/${name}` : `${place}/node_modules/${name}`
    if (lock[path]) return path
    if (place === '') return undefined
  }
}

/** @param {string} path @param {unknown} value */
function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const destination = readDestination('node tools/pack-service.js', 'the service', join(root, 'dist'))
  const folder = join(destination, 'rolecall')
  await buildSiteOnce()
  stageService(folder)
  console.log(`${packService(folder, destination)}\nTo publish it: npm publish ${folder}`)
}
