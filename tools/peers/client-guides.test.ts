import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { givenProject } from '../../apps/api/test/given.ts'
import { worldForTests } from '../../apps/api/test/world-for-tests.ts'
import { SiteBrowser } from '../../packages/sdk/test/site-browser.ts'
import { listenFetch } from '../../packages/sdk/test/sites.ts'
import { freePort } from '../free-port.js'
import { type Installed, installPackage, root } from '../sdk/installed.ts'
import { commandsIn, filesIn } from '../sdk/stacks.ts'
import { noteRun } from '../shown/notes.ts'
import { runShown } from '../shown/run.ts'

/** A folder in which the packages of this repository are found by name. */
const folder = join(root, 'tools/peers/dist/pages')
const before = { ...process.env }

const world = worldForTests('pglite', { PERMISSION_TTL_MS: '3600000' })
beforeAll(async () => {
  await mkdir(folder, { recursive: true })
})
afterAll(async () => {
  process.env = before
  await rm(folder, { recursive: true, force: true })
})

/** Creates a project for a site at an address. Returns the environment of the site. */
async function givenSite(url: string) {
  const { id, key } = await givenProject(world, { redirectUris: [`${url}/auth/callback`] })
  return {
    ROLECALL_URL: world.url,
    ROLECALL_API_KEY: key,
    ROLECALL_CLIENT_ID: id,
    ROLECALL_SERVER_ID: demo.mainGuildId,
    ROLECALL_APP_URL: url,
    ROLECALL_SECRET: '0123456789abcdef0123456789abcdef',
  }
}

// Frameworks that need a build are in tools/sdk/stacks.test.ts.
describe.each(['hono', 'fetch'])('docs/guides/stacks/%s.md', (page) => {
  test('leads from nothing to a page that only the crew sees', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    Object.assign(process.env, await givenSite(url))
    const [[path, code] = ['', '']] = await filesIn(page)
    expect(path).toBe('app.ts')
    const file = join(folder, `${page}.ts`)
    await writeFile(file, code.replaceAll('8080', String(port)))
    const { default: app } = await import(file)
    // Runtimes other than Node.js listen by themselves.
    if (app) await listenFetch(port, (request) => app.fetch(request))
    await expectCrewOnly(url)
  })
})

// Sites on plain Node.js are installed and started by the commands of their page.
describe.each(['express', 'fastify'])('docs/guides/stacks/%s.md, as written, in an empty folder', (page) => {
  let installed: Installed
  beforeAll(async () => {
    installed = await installPackage()
  })
  afterAll(() => rm(installed.folder, { recursive: true, force: true }))

  test('leads from nothing to a page that only the crew sees', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const app = join(installed.folder, 'empty')
    await mkdir(app)
    const [install = '', start = ''] = await commandsIn(page)
    await runShown(install, {
      cwd: app,
      env: { HOME: before['HOME'] ?? '', npm_config_prefer_offline: 'true' },
      fill: { '<package path>': installed.tarball },
    })
    const values = await givenSite(url)
    await writeFile(
      join(app, '.env'),
      Object.entries(values)
        .map((pair) => pair.join('='))
        .join('\n'),
    )
    const [[path, code] = ['', '']] = await filesIn(page)
    await writeFile(join(app, path), code.replaceAll('8080', String(port)))
    // Sets only the variables that the file names.
    const env = { PATH: before['PATH'] }
    const child = spawn('sh', ['-c', `exec ${start}`], { cwd: app, env, stdio: 'inherit' })
    const ended = once(child, 'exit')
    try {
      await expectCrewOnly(url)
      noteRun(start)
    } finally {
      child.kill('SIGKILL')
      await ended
    }
  })
})

async function expectCrewOnly(url: string) {
  const browser = new SiteBrowser(url, world.sim.url)
  await expect
    .poll(() => browser.open('/').catch(() => undefined))
    .toMatchObject({ status: 200, text: expect.stringContaining('href="/auth/login"') })
  expect(await browser.open('/crew')).toMatchObject({
    url: `${url}/crew`,
    status: 200,
    text: 'Welcome aboard, ada.osei',
  })
  expect((await browser.open('/')).text).toMatch(/^Hello ada\.osei .*action="\/auth\/logout"/)
  expect((await new SiteBrowser(url, world.sim.url).open('/crew', demo.users.tomas)).status).toBe(403)
}
