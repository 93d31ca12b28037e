import { existsSync, readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readBuilt } from '#platform/http/read-built'

/** A file of the documentation site, with its content type. */
export interface SiteFile {
  readonly type: string
  readonly read: () => Buffer
}

/** The folders in which the built site may be: in a release, and in the repository. The first that exists is used. */
const folders = ['../../../site', '../../../../../tools/site/dist'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
}

/**
 * Lists the files of the built site at the start, by their paths within the site. Requests can select only a path of
 * this list, so no other file can be read.
 */
export function openSite(from: string = folders.find(existsSync) ?? ''): ReadonlyMap<string, SiteFile> {
  const names = existsSync(from) ? readdirSync(from, { recursive: true, encoding: 'utf8' }) : []
  return new Map(
    names.flatMap((name) => {
      const type = types[extname(name)]
      return type === undefined ? [] : [[name, { type, read: () => readBuilt(join(from, name)) }]]
    }),
  )
}
