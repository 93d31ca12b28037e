import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CannotStart } from './cannot-start.ts'

export interface Project {
  readonly id: string
  readonly apiKey: string
  /** A session of a seeded member, so that the printed request has something to ask about. */
  readonly sampleToken?: string
}

/** What the demo remembers between starts: everything that the service itself keeps only as a digest. */
interface Kept {
  readonly outboundKey: string
  readonly inboundKey: string
  /** One for each address that the demo site has had: its redirect URI depends on the port. */
  readonly projects: Readonly<Record<string, Project>>
}

export interface Keep {
  readonly kept: Kept
  project(siteUrl: string): Project | undefined
  saveProject(siteUrl: string, project: Project): Promise<void>
}

/** Opens `demo.json` in the data folder, readable by its owner only; makes it at the first start. */
export async function openKeep(folder: string): Promise<Keep> {
  const file = join(folder, 'demo.json')
  const hasData = existsSync(join(folder, 'db', 'PG_VERSION'))
  if (hasData && !existsSync(file)) {
    throw new CannotStart(`${file} is gone, and with it the keys to the data beside it: delete ${folder}.`)
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  let kept = await read(file)
  // The data was deleted: the keys still fit, but nobody knows the projects any more.
  if (!hasData) kept = { ...kept, projects: {} }
  await write(file, kept)
  return {
    get kept() {
      return kept
    },
    project: (siteUrl) => kept.projects[siteUrl],
    async saveProject(siteUrl, project) {
      kept = { ...kept, projects: { ...kept.projects, [siteUrl]: project } }
      await write(file, kept)
    },
  }
}

async function read(file: string): Promise<Kept> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new CannotStart(`${file} cannot be read: ${error.message}`)
  })
  if (text === undefined) return { outboundKey: mintKey(), inboundKey: mintKey(), projects: {} }
  try {
    return JSON.parse(text)
  } catch {
    throw new CannotStart(`${file} is no JSON any more: restore it, or delete the folder it is in.`)
  }
}

/** By way of another name, so that a crash never leaves half a file. */
async function write(file: string, kept: Kept) {
  await writeFile(`${file}.new`, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

const mintKey = () => randomBytes(32).toString('hex')
