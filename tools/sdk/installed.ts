import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inject, vi } from 'vitest'
import { noteRun } from '../shown/notes.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

const execute = promisify(execFile)

/** Runs a program of an app. If it fails, the error contains all of its output. */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  timeout = 60_000,
): Promise<string> {
  const { stdout } = await execute(program, args, { cwd, timeout }).catch((error) => {
    throw new Error(`${program} ${args.join(' ')}: ${error.message}\n${error.stdout}\n${error.stderr}`)
  })
  return stdout
}

/** The package as it is published, and an app in which only this package is installed. */
export interface Installed {
  /** The folder of both. Remove it at the end. */
  readonly folder: string
  readonly staged: string
  readonly tarball: string
  readonly app: string
}

/** Copies the installed package and the app for one test file. */
export async function installPackage(): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'rolecall-package-'))
  await cp(await installOnce(), folder, { recursive: true })
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? ''
  const app = join(folder, 'app')
  return { folder, staged: join(folder, 'package'), tarball: join(folder, tarball), app }
}

/** Compiles, packs, and installs the package. The first test file of a run does this, and the others wait for it. */
async function installOnce(): Promise<string> {
  const done = join(inject('onceFolder'), 'sdk')
  const [begun, unfinished] = [`${done}.begun`, `${done}.unfinished`]
  const isFirst = await mkdir(begun).then(
    () => true,
    () => false,
  )
  if (isFirst) {
    try {
      await install(unfinished)
      // Renames the folder when it is complete, so that other test files never find a partial one.
      await rename(unfinished, done)
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true })
      await rm(begun, { recursive: true })
      throw error
    }
  }
  await vi.waitUntil(() => existsSync(done) || !existsSync(begun), { timeout: 100_000, interval: 100 })
  // If the first test file has failed, tries again, so that this one reports the same error.
  return existsSync(done) ? done : installOnce()
}

async function install(folder: string): Promise<void> {
  const app = join(folder, 'app')
  // Runs the documented command, but with another folder, because several runs may pack at the same time.
  const command = 'npm run pack -w packages/sdk'
  const said = await run('sh', ['-c', `${command} -- ${folder} 2>&1`], root, 120_000)
  if (said.includes('Ignoring workspaces')) throw new Error(`The command warns:\n${said}`)
  noteRun(command)
  const tarball = said.split('\n').find((line) => line.endsWith('.tgz')) ?? ''
  await mkdir(app)
  await run('npm', ['init', '-y'], app)
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], app)
  await cp(join(root, 'tools/sdk/walk.js'), join(app, 'walk.mjs'))
}

/** The result that `walk.js` must have in every runtime. */
export const walked = {
  member: 'ada.osei',
  hasChallenge: true,
  isLocal: true,
  isTold: true,
  code: 'INVALID_API_KEY',
  signature: 't=',
}

/** The input of `walk.js`. */
export interface Given {
  readonly url: string
  readonly key: string
  readonly token: string
  readonly refreshToken: string
}

/** Writes two programs that run `walk.js`, one as an ECMAScript module and one as CommonJS. */
export async function writeWalk(app: string, given: Given): Promise<{ esm: string; cjs: string }> {
  const rest = `walk(sdk, ${JSON.stringify(given)}).then((walked) => console.log(JSON.stringify(walked)))\n`
  const esm = "import * as sdk from '@rolecall/sdk'\nimport { walk } from './walk.mjs'\n"
  const cjs = "const sdk = require('@rolecall/sdk')\nimport('./walk.mjs').then(({ walk }) => "
  await writeFile(join(app, 'walk-esm.mjs'), esm + rest)
  await writeFile(join(app, 'walk-cjs.cjs'), `${cjs}${rest.trim()})\n`)
  return { esm: 'walk-esm.mjs', cjs: 'walk-cjs.cjs' }
}
