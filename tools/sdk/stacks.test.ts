import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { describeSites } from '../../packages/sdk/test/adapter-table.ts'
import type { StartSite } from '../../packages/sdk/test/sites.ts'
import { noteRun, noteSkipped } from '../shown/notes.ts'
import { type Installed, installPackage, run } from './installed.ts'
import { commandsIn, filesIn, findInstallCommands, type Stack, stacks } from './stacks.ts'

// Tests frameworks that must be installed (400 MB) and built. Runs with STACKS=all, or with the
// name of one framework. Later runs use the same packages.

/** A folder outside of the repository. Bundlers would find the workspace above, and ignore files in `node_modules`. */
const folder = join(tmpdir(), 'rolecall-stacks')
const wanted = Object.entries(stacks).filter(
  ([name, { page }]) =>
    process.env['STACKS'] === 'all' || process.env['STACKS'] === page || process.env['STACKS'] === name,
)

let installed: Installed
beforeAll(async () => {
  if (wanted.length > 0) installed = await installPackage()
})
afterAll(async () => {
  if (installed) await rm(installed.folder, { recursive: true })
})

const apps = new Map<Stack, Promise<string>>()

/** Builds the app of a page, with the packed library installed. */
async function build(stack: Stack): Promise<string> {
  const app = join(folder, stack.page)
  await mkdir(app, { recursive: true })
  if (!existsSync(join(app, 'node_modules'))) {
    await writeFile(join(app, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }))
    const begins = await findInstallCommands(stack.page)
    if (begins !== undefined) {
      await rm(join(app, 'package.json'))
      await run('sh', ['-ec', begins.replace('<package path>', installed.tarball)], app, 300_000)
      noteRun(begins)
    }
    for (const text of await commandsIn(stack.page)) {
      // tools/peers/client-init.test.ts runs rolecall-init.
      if (text === begins || text.includes('rolecall-init')) continue
      noteSkipped(text, 'the built app is started instead')
    }
    await run(
      'npm',
      ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...stack.packages],
      app,
      300_000,
    )
  }
  const library = join(app, 'node_modules/@rolecall/sdk')
  await rm(library, { recursive: true, force: true })
  await cp(installed.staged, library, { recursive: true })
  for (const [path, code] of [...(await filesIn(stack.page)), ...Object.entries(stack.files)]) {
    await mkdir(dirname(join(app, path)), { recursive: true })
    await writeFile(join(app, path), code)
  }
  // Builds without the environment of the app, because a build has no secrets.
  await run(process.execPath, stack.build, app, 300_000)
  return app
}

const startOf =
  (stack: Stack): StartSite =>
  async (options, port) => {
    const built = apps.get(stack) ?? build(stack)
    apps.set(stack, built)
    const variables = {
      ROLECALL_URL: options.url,
      ROLECALL_API_KEY: options.apiKey,
      ROLECALL_CLIENT_ID: options.clientId,
      ROLECALL_SERVER_ID: options.serverId,
      ROLECALL_APP_URL: options.appUrl,
      ROLECALL_SECRET: String(options.secret),
      // Sets variables of the frameworks.
      HOST: '127.0.0.1',
      PORT: String(port),
      ORIGIN: options.appUrl,
      NODE_ENV: 'production',
    }
    const child = spawn(process.execPath, stack.start(port), {
      cwd: await built,
      env: { PATH: process.env['PATH'], ...variables },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const exited = once(child, 'exit')
    await vi.waitFor(async () => expect((await fetch(`${options.appUrl}/auth/nothing`)).status).toBe(404), {
      timeout: 60_000,
      interval: 200,
    })
    return {
      async close() {
        child.kill('SIGKILL')
        await exited
      },
    }
  }

if (wanted.length > 0) {
  const sites = Object.fromEntries(wanted.map(([name, stack]) => [name, startOf(stack)]))
  describeSites(sites, { takesFunctions: false })
} else {
  for (const text of await commandsIn('next')) noteSkipped(text, 'it is run with STACKS=all')
  test('frameworks that have to be built', ({ skip }) => {
    skip('they are loaded with STACKS=all')
  })
}

describe('the pages of docs/guides/stacks', () => {
  test.each(Object.values(stacks).map(({ page }) => page))(
    '%s shows files that the app of the table is made of',
    async (page) => {
      expect((await filesIn(page)).size).toBeGreaterThan(2)
    },
  )

  test('start in an empty folder if they show commands for it, and never with a command for an existing app', async () => {
    expect(await findInstallCommands('next')).toMatch(/^npm init -y\n(.*\n)*npm install .*<package path>$/)
    expect(await Promise.all(['sveltekit', 'nuxt'].map(findInstallCommands))).toEqual([undefined, undefined])
  })
})
