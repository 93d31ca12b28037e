import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Encoded } from '#platform/http/encodings'
import { readBuilt } from '#platform/http/read-built'

/** A built file, with its compressed forms if the build made any. */
interface BuiltFile {
  readonly type: string
  /** The forms of the file, best first; the last one is not compressed. */
  readonly spellings: readonly Spelling[]
}

interface Spelling extends Encoded {
  /** Read at the first request and then kept in memory. */
  readonly bytes: () => Buffer
}

export interface Built {
  /** Returns the page of the application; undefined if nothing was built. */
  readonly page: () => string | undefined
  /** Returns the file with that name; undefined for a name that the build did not make. */
  readonly asset: (name: string) => BuiltFile | undefined
}

/**
 * In the packed release, the folder inside it; in the repository, the folder beside it, for sources and compiled code
 * alike.
 */
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

/** Lists the built files once. Names are looked up in that list and never become paths. */
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
    bytes ??= readBuilt(path)
    return bytes
  }
}
