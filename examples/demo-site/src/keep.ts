import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CannotStart } from './cannot-start.ts'

/** The demo site's project, as the demo stores it. */
export interface Project {
  readonly id: string
  readonly apiKey: string
  /** The redirect URI of the site. It changes if the demo uses another port. */
  readonly redirectUri: string
  /** The token of a member's session, for the request that the demo prints. */
  readonly sampleToken?: string
}

/** The data that the demo stores between starts. The service does not have it, or has only a digest of it. */
interface Kept {
  readonly outboundKey: string
  readonly inboundKey: string
  /** True once a first start has completed. */
  readonly isSeeded?: true
  readonly project?: Project
  /** The address of the service at the last start, for programs that use the demo. */
  readonly serviceUrl?: string
  /** The token of Mara Lind's session, for the administration of the service. */
  readonly adminToken?: string
}

/** The stored data of the demo. */
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
  // If the first start was interrupted, its data is incomplete. Deletes it and starts again.
  if (!kept.isSeeded) await rm(data, { recursive: true, force: true })
  // If the user has deleted the data, the project is gone, too. The encryption keys can still be used.
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

/** Writes to another file and then renames it, so that a crash never leaves an incomplete file. */
async function write(file: string, kept: Kept) {
  await writeFile(`${file}.new`, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

const mintKey = () => randomBytes(32).toString('hex')
