import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Encoded } from '#platform/http/encodings'
import { readBuilt } from '#platform/http/read-built'

/** A built file, with its compressed forms if the build created any. */
interface BuiltFile {
  /** The content type. */
  readonly type: string
  /** The forms of the file, the best compressed first. The last one is not compressed. */
  readonly spellings: readonly Spelling[]
}

/** A form of a file in one encoding. */
interface Spelling extends Encoded {
  /** Returns the content, which is read at the first request and then kept in memory. */
  readonly bytes: () => Buffer
}

/** The files of the built console. */
export interface Built {
  /** Returns the page of the console, or undefined if the console was not built. */
  readonly page: () => string | undefined
  /** Returns the file with this name, or undefined if the build did not create it. */
  readonly asset: (name: string) => BuiltFile | undefined
}

/**
 * The folders in which the built console may be: in a release, and in the repository. The first that exists is used.
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

/**
 * Lists the built files at the start. Requests can select only a file of this list, and their names never become paths,
 * so no other file can be read.
 */
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

/** Creates a function that reads a file at its first call. */
function onceRead(path: string): () => Buffer {
  let bytes: Buffer | undefined
  return () => {
    bytes ??= readBuilt(path)
    return bytes
  }
}
