import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Encoded } from '#platform/http/encodings'

/** A built file, and the same in fewer bytes, where the build made that. */
interface BuiltFile {
  readonly type: string
  /** Best first; the last one is the file as it is. */
  readonly spellings: readonly Spelling[]
}

interface Spelling extends Encoded {
  /** Read when it is first asked for, and kept: a build that replaces the folder changes nothing of a running service. */
  readonly bytes: () => Buffer
}

export interface Built {
  /** The page of the application; undefined where nothing was built. */
  readonly page: () => string | undefined
  /** The file of that name, undefined for a name that the build did not make. */
  readonly asset: (name: string) => BuiltFile | undefined
}

/** In the packed release within it; in the repository beside it, from the sources as from what is compiled of them. */
const folders = ['../../../console', '../../../../console/dist'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const compressed = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** Looks once at what was built: names are looked up, never made into paths. */
export function openBuilt(from: string = folders.find(existsSync) ?? ''): Built {
  const assets = join(from, 'assets')
  const names = new Set(existsSync(assets) ? readdirSync(assets) : [])
  const files = new Map<string, BuiltFile>()
  for (const name of names) {
    const type = types[extname(name)]
    if (type === undefined) continue
    const plain: Spelling = { encoding: 'identity', bytes: onceRead(join(assets, name)) }
    const smaller = compressed
      .filter(([, ending]) => names.has(name + ending))
      .map(([encoding, ending]): Spelling => ({ encoding, bytes: onceRead(join(assets, name + ending)) }))
    files.set(name, { type, spellings: [...smaller, plain] })
  }
  const page = join(from, 'index.html')
  const text = existsSync(page) ? readFileSync(page, 'utf8') : undefined
  return { page: () => text, asset: (name) => files.get(name) }
}

function onceRead(path: string): () => Buffer {
  let bytes: Buffer | undefined
  return () => {
    bytes ??= readFileSync(path)
    return bytes
  }
}
