import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CannotStart } from './cannot-start.ts'

export interface Project {
  readonly id: string
  readonly apiKey: string
  /** The redirect URI of its sign-ins; a different one when the demo moves to another port. */
  readonly redirectUri: string
  /** A session of a seeded member, for the printed request. */
  readonly sampleToken?: string
}

/** The data that the demo stores between starts, because the service stores only a digest of it, or nothing. */
interface Kept {
  readonly outboundKey: string
  readonly inboundKey: string
  /** Absent until a first start has completed. */
  readonly isSeeded?: true
  readonly project?: Project
  /** The address of the service at the last start, for programs that use the demo. */
  readonly serviceUrl?: string
  /** A session of Mara's, for the administration of the service. */
  readonly adminToken?: string
}

export interface Keep {
  readonly kept: Kept
  save(more: Partial<Kept>): Promise<void>
}

/** Opens `demo.json` in the data folder, readable only by its owner. Creates it at the first start. */
export async function openKeep(folder: string): Promise<Keep> {
  const file = join(folder, 'demo.json')
  const data = join(folder, 'db')
  if (existsSync(data) && !existsSync(file)) {
    throw new CannotStart(
      `${file} is missing, and the data next to it cannot be read without its keys. Delete ${folder}.`,
    )
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  let kept = await read(file)
  // An interrupted first start has left partial data, which is not in use yet.
  if (!kept.isSeeded) await rm(data, { recursive: true, force: true })
  // The data was deleted: the keys stay valid, but the project is gone.
  if (!existsSync(data)) kept = { outboundKey: kept.outboundKey, inboundKey: kept.inboundKey }
  await write(file, kept)
  return {
    get kept() {
      return kept
    },
    async save(more) {
      kept = { ...kept, ...more }
      await write(file, kept)
    },
  }
}

async function read(file: string): Promise<Kept> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new CannotStart(`${file} cannot be read: ${error.message}`)
  })
  if (text === undefined) return { outboundKey: mintKey(), inboundKey: mintKey() }
  try {
    return JSON.parse(text)
  } catch {
    throw new CannotStart(`${file} is not valid JSON. Restore it, or delete its folder.`)
  }
}

/** Writes under another name first, so that a crash never leaves a partial file. */
async function write(file: string, kept: Kept) {
  await writeFile(`${file}.new`, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

const mintKey = () => randomBytes(32).toString('hex')
