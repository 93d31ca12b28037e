import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CannotInit } from './cannot-init.ts'

/** The app in the folder where the command was started. */
export interface AppFolder {
  readonly folder: string
  /** Names from `dependencies` and `devDependencies`, with their version ranges. */
  readonly dependencies: ReadonlyMap<string, string>
  /** True if the app uses TypeScript. */
  readonly isTyped: boolean
  /** True if `.js` files are ECMAScript modules. */
  readonly isModule: boolean
  /** The field `type` of package.json. */
  readonly type: string | undefined
  /** Returns true if the file exists below the folder. */
  has(path: string): boolean
  /** Returns the text of a file, or an empty text if it does not exist. */
  read(path: string): string
}

/**
 * Reads the package.json of an app.
 *
 * @throws CannotInit if there is no readable package.json
 */
export function openAppFolder(folder: string): AppFolder {
  const manifest = readManifest(join(folder, 'package.json'))
  const dependencies = new Map<string, string>()
  for (const key of ['devDependencies', 'dependencies']) {
    for (const [name, version] of Object.entries(manifest[key] ?? {})) dependencies.set(name, String(version))
  }
  const has = (path: string) => existsSync(join(folder, path))
  const { type } = manifest
  return {
    folder,
    dependencies,
    isTyped: has('tsconfig.json') || dependencies.has('typescript'),
    isModule: type === 'module',
    type: typeof type === 'string' ? type : undefined,
    has,
    read: (path) => readText(join(folder, path)),
  }
}

function readManifest(file: string): Record<string, unknown> {
  if (!existsSync(file))
    throw new CannotInit(
      `There is no package.json in ${dirname(file)}. Run this command in the folder of your app.`,
    )
  let manifest: unknown
  try {
    manifest = JSON.parse(readText(file).replace(/^\uFEFF/, ''))
  } catch (error) {
    if (error instanceof CannotInit) throw error
    throw new CannotInit(`${file} is not valid JSON. Fix it, and run this command again.`)
  }
  if (typeof manifest === 'object' && manifest !== null && !Array.isArray(manifest)) return { ...manifest }
  throw new CannotInit(`${file} is not an object. Fix it, and run this command again.`)
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return ''
    throw new CannotInit(`${file} cannot be read (${String(code)}).`)
  }
}

/** Returns the ignore files that apply to the folder, from the outermost to the folder's own. */
export function readIgnoreFiles({ folder, read }: AppFolder): string[] {
  const outer: string[] = []
  let at = folder
  while (!existsSync(join(at, '.git'))) {
    // At the root of the file system, there was no repository. Only the folder's own ignore file applies then.
    if (dirname(at) === at) return [read('.gitignore')]
    at = dirname(at)
    outer.unshift(readText(join(at, '.gitignore')))
  }
  return [...outer, read('.gitignore')]
}

const notSources = new Set(['node_modules', 'dist', 'build', 'out', 'coverage'])

/** Lists the files of the app that already set up the sign-in. */
export function findLogins({ folder, read }: AppFolder): string[] {
  const visit = (path: string): string[] =>
    readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
      if (entry.name.startsWith('.') || notSources.has(entry.name)) return []
      const below = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry.isDirectory()) return visit(below)
      if (!entry.isFile() || !/\.[cm]?[jt]sx?$/.test(entry.name)) return []
      const text = read(below)
      return text.includes('@rolecall/sdk') && /\bcreateRolecall\(/.test(text) ? [below] : []
    })
  return visit('')
}
