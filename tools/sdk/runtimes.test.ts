import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { givenProject, givenSession } from '../../apps/api/test/given.ts'
import { startWorld, type World } from '../../apps/api/test/service.ts'
import { installRuntime, nodePackage } from '../installed-runtime.ts'
import { type Installed, installPackage, run, walked, writeWalk } from './installed.ts'

// The other runtimes are a download of 500 MB. All of them run with RUNTIMES=all. CI runs only
// the two that are not Node.js (200 MB). Later runs use the same downloads.

const os = process.platform
const isArm = process.arch === 'arm64'

/** The runtimes. Each is installed from the package that contains its program, so that no install script runs. */
const runtimes: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['Node.js 22', nodePackage('22'), 'bin/node', []],
  ['Node.js 24', nodePackage('24'), 'bin/node', []],
  ['Bun', `@oven/bun-${os}-${isArm ? 'aarch64' : 'x64'}`, 'bin/bun', []],
  ['Deno', `@deno/${os}-${isArm ? 'arm64' : 'x64'}${os === 'linux' ? '-glibc' : ''}`, 'deno', ['run', '-A']],
]
const wanted = runtimes.filter(
  ([name]) =>
    process.env['RUNTIMES'] === 'all' || (process.env['CI'] !== undefined && !name.startsWith('Node.js')),
)

let world: World
let installed: Installed
beforeAll(async () => {
  if (wanted.length === 0) return
  world = await startWorld('pglite', { PERMISSION_TTL_MS: '3600000' })
  installed = await installPackage()
})
afterAll(async () => {
  await world?.close()
  if (installed) await rm(installed.folder, { recursive: true })
})

describe.each(runtimes)('on %s an installed package', (name, spec, program, args) => {
  test('is used as a module and as CommonJS, and lets the process end', async ({ skip }) => {
    const isWanted = wanted.some(([one]) => one === name)
    skip(!isWanted, 'other runtimes are loaded with RUNTIMES=all')
    const project = await givenProject(world)
    const runtime = join(await installRuntime(spec), program)
    for (const kind of ['esm', 'cjs'] as const) {
      const { token, refreshToken } = await givenSession(world, project)
      const given = { url: world.url, key: project.key, token, refreshToken }
      const programs = await writeWalk(installed.app, given)
      expect(JSON.parse(await run(runtime, [...args, programs[kind]], installed.app))).toEqual(walked)
    }
  })
})
