import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CannotStart } from './cannot-start.ts'

export interface Project {
  readonly id: string
  readonly apiKey: string
  /** Where its logins come back to; another one when the demo moves to another port. */
  readonly redirectUri: string
  /** A session of a seeded member, so that the printed request has something to ask about. */
  readonly sampleToken?: string
}

/** What the demo remembers between starts: what the service itself keeps only as a digest, or not at all. */
interface Kept {
  readonly outboundKey: string
  readonly inboundKey: string
  /** Absent until a first start has come to its end. */
  readonly isSeeded?: true
  readonly project?: Project
  /** The address of the service at the last start, for programs that use the demo. */
  readonly serviceUrl?: string
  /** A session of Mara's, so that there is something to administer the service with. */
  readonly adminToken?: string
}

export interface Keep {
  readonly kept: Kept
  save(more: Partial<Kept>): Promise<void>
}

/** Opens `demo.json` in the data folder, readable by its owner only; makes it at the first start. */
export async function openKeep(folder: string): Promise<Keep> {
  const file = join(folder, 'demo.json')
  const data = join(folder, 'db')
  if (existsSync(data) && !existsSync(file)) {
    throw new CannotStart(`${file} is gone, and with it the keys to the data beside it: delete ${folder}.`)
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  let kept = await read(file)
  // A first start that was interrupted has left half of what belongs there, and nobody has used it yet.
  if (!kept.isSeeded) await rm(data, { recursive: true, force: true })
  // The data was deleted: the keys still fit, but there is no such project any more.
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
    throw new CannotStart(`${file} is no JSON any more: restore it, or delete the folder it is in.`)
  }
}

/** By way of another name, so that a crash never leaves half a file. */
async function write(file: string, kept: Kept) {
  await writeFile(`${file}.new`, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

const mintKey = () => randomBytes(32).toString('hex')
