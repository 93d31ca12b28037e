import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CannotStart } from './cannot-start.ts'
import type { Project } from './keep.ts'
import type { Environment } from './service.ts'

const program = fileURLToPath(new URL('../bin/seed.js', import.meta.url))

interface Seed {
  readonly folder: string
  readonly env: Environment
  readonly name: string
  readonly redirectUri: string
}

/**
 * Registers the demo site as a project, in a process that ends before the service starts: the embedded
 * database lets only one in. A new database is made beside its place and moved there when it is whole, so
 * that an interrupted first start leaves nothing half-made.
 */
export function startSeed({ folder, env, name, redirectUri }: Seed) {
  const data = join(folder, 'db')
  const place = existsSync(data) ? data : join(folder, 'db.new')
  const stop = new AbortController()

  async function run(): Promise<Project> {
    if (place !== data) await rm(place, { recursive: true, force: true })
    const child = fork(program, [name, redirectUri], {
      env: { ...env, DATABASE_URL: `pglite:${place}` },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      signal: stop.signal,
      killSignal: 'SIGKILL',
    })
    child.once('error', () => {})
    let complaint = ''
    child.stderr?.on('data', (text) => {
      complaint += text
    })
    let project: Project | undefined
    child.once('message', (message) => {
      project = message as Project
    })
    await once(child, 'close')
    if (!project) throw new CannotStart(`The demo project could not be made.\n${complaint.trim()}`)
    if (place !== data) await rename(place, data)
    return project
  }

  return { project: run(), close: async () => stop.abort() }
}
