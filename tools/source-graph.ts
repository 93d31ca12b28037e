import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** A package of this repository, as its `package.json` describes it. */
interface Manifest {
  readonly name?: string
  readonly imports?: Readonly<Record<string, Targets>>
  readonly exports?: Readonly<Record<string, Targets>>
}
type Targets = Readonly<Record<string, string>>

/** The text of every source by its path from the root, and every package.json by its folder. */
export interface Tree {
  readonly sources: ReadonlyMap<string, string>
  readonly manifests: ReadonlyMap<string, Manifest>
}

/** The files of a tree, and the imports of each: files of this repository by path, other packages as written. */
export interface SourceGraph {
  readonly names: readonly string[]
  /** Returns a file without its comments. */
  codeOf(name: string): string
  linesOf(name: string): number
  importsOf(name: string): readonly string[]
}

const workspaces = ['apps', 'packages', 'examples', 'acceptance', 'bench', 'clients', 'tools']
const ignored = new Set(['node_modules', 'dist', 'coverage', 'public', '.git', '.rolecall'])

/** Lists the files below a folder that have a matching name. Skips build outputs and installed packages. */
export function listFiles(folder: string, wanted: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return ignored.has(entry.name) ? [] : listFiles(path, wanted)
    return wanted.test(entry.name) ? [path] : []
  })
}

/** Reads every source and every package.json of the repository. */
export function readTree(root: string): Tree {
  const list = (wanted: RegExp) =>
    workspaces.flatMap((folder) => listFiles(join(root, folder), wanted)).sort()
  const read = (path: string) => [relative(root, path), readFileSync(path, 'utf8')] as const
  const manifests = list(/^package\.json$/).map((path) => {
    const [name, text] = read(path)
    return [dirname(name), JSON.parse(text) as Manifest] as const
  })
  return { sources: new Map(list(/(?<!\.d)\.tsx?$/).map(read)), manifests: new Map(manifests) }
}

/** Returns true for a test, and for a file that only tests use. */
export const isTest = (name: string) => /\.test\.tsx?$/.test(name) || /\/test\//.test(name)

/** Resolves every import of a tree, including imports of types. */
export function graphOf(tree: Tree): SourceGraph {
  const { sources } = tree
  const names = [...sources.keys()]
  const codeOf = (name: string) => (sources.get(name) ?? '').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const imports = new Map(
    names.map((name) => [name, specifiersIn(codeOf(name)).map((one) => resolveImport(tree, name, one))]),
  )
  return {
    names,
    codeOf,
    linesOf: (name) => (sources.get(name) ?? '').split('\n').length,
    importsOf: (name) => imports.get(name) ?? [],
  }
}

const statement =
  /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g

const specifiersIn = (code: string) =>
  [...code.matchAll(statement)].map(([, from, dynamic, bare]) => from ?? dynamic ?? bare ?? '')

function resolveImport({ manifests }: Tree, name: string, specifier: string): string {
  if (specifier.startsWith('.')) return join(dirname(name), specifier)
  if (specifier.startsWith('#')) {
    const folder = [...manifests.keys()].find(
      (one) => name.startsWith(`${one}/`) && manifests.get(one)?.imports,
    )
    return resolveIn(folder, manifests.get(folder ?? '')?.imports, specifier) ?? specifier
  }
  const [owner, ofOwner] = [...manifests].find(([, one]) => isOf(specifier, one.name)) ?? []
  const path = ofOwner?.name && `.${specifier.slice(ofOwner.name.length)}`
  return (path && resolveIn(owner, ofOwner?.exports, path)) || specifier
}

const isOf = (specifier: string, name: string | undefined) =>
  name !== undefined && (specifier === name || specifier.startsWith(`${name}/`))

/** Resolves an import by the `exports` or `imports` of a package.json, as Node.js does. One `*` stands for any path. */
function resolveIn(
  folder: string | undefined,
  map: Manifest['imports'],
  specifier: string,
): string | undefined {
  for (const [pattern, { development }] of Object.entries(map ?? {})) {
    const [before = '', after] = pattern.split('*')
    const rest = specifier.slice(before.length)
    const fits = after === undefined ? specifier === pattern : specifier.startsWith(before) && rest !== ''
    if (fits && folder && development) return join(folder, development.replace('*', rest))
  }
  return undefined
}

/** Returns the files of the first cycle of imports. Empty if there is none. */
export function findCycle({ names, importsOf }: SourceGraph): string[] {
  const known = new Set(names)
  const done = new Set<string>()
  const visit = (name: string, path: string[]): string[] | undefined => {
    const start = path.indexOf(name)
    if (start >= 0) return [...path.slice(start), name]
    if (done.has(name)) return undefined
    for (const next of importsOf(name)) {
      const cycle = known.has(next) ? visit(next, [...path, name]) : undefined
      if (cycle) return cycle
    }
    done.add(name)
    return undefined
  }
  for (const name of names) {
    const cycle = visit(name, [])
    if (cycle) return cycle
  }
  return []
}

/** Returns the imports of files or packages of this repository that lead to no file. */
export function findDangling({ names, importsOf }: SourceGraph): string[] {
  const known = new Set(names)
  const ours = new RegExp(`^((${workspaces.join('|')})/.*\\.tsx?|#.*|@rolecall/.*)$`)
  return names.flatMap((name) =>
    importsOf(name).flatMap((one) => (ours.test(one) && !known.has(one) ? [`${name} → ${one}`] : [])),
  )
}
