import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../free-port.js'
import { type Installed, installPackage, root, run } from '../sdk/installed.ts'
import { filesIn } from '../sdk/stacks.ts'
import { commandsOfPage, read } from '../shown/collect.ts'
import { noteRun } from '../shown/notes.ts'
import { runShown } from '../shown/run.ts'

/** Returns the command of `rolecall-init` on a page. */
const initCommandOf = (page: string) =>
  commandsOfPage(page, read(page)).find(({ text, isBlock }) => isBlock && text.includes('rolecall-init'))
    ?.text ?? ''

let installed: Installed
/** A folder below `node_modules` of this folder, so that the apps find its packages. */
let folder: string
beforeAll(async () => {
  installed = await installPackage()
  const above = join(root, 'tools/peers/node_modules/.cache')
  await mkdir(above, { recursive: true })
  folder = await mkdtemp(join(above, 'rolecall-init-'))
})
afterAll(async () => {
  if (installed) await rm(installed.folder, { recursive: true })
  if (folder) await rm(folder, { recursive: true })
})

const key = `rck_${'k'.repeat(43)}`
const given = ['--url', 'https://id.example/', '--client-id', 'prj_1', '--server-id', '1100089314336833537']

type Files = Readonly<Record<string, string>>

/** Creates the folder of an app that has installed the package. It is a repository unless it is inside one. */
async function givenApp(manifest: object | string, files: Files = {}, above = folder): Promise<string> {
  const app = await mkdtemp(join(above, 'app-'))
  const text = typeof manifest === 'string' ? manifest : JSON.stringify({ private: true, ...manifest })
  const all = { 'package.json': text, '.git/HEAD': '', ...files }
  for (const [path, content] of Object.entries(all)) {
    await mkdir(dirname(join(app, path)), { recursive: true })
    await writeFile(join(app, path), content)
  }
  await cp(installed.staged, join(app, 'node_modules/@rolecall/sdk'), { recursive: true })
  return app
}

/** Runs the program of the installed package, with the key on its standard input if the arguments request that. */
function init(app: string, ...args: string[]) {
  const program = join(app, 'node_modules/@rolecall/sdk/esm/init/main.js')
  const env = { PATH: process.env['PATH'], NO_COLOR: '1' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: app,
    env,
    input: `${key}\n`,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

/** Returns the app's own files by path. */
async function filesOf(app: string): Promise<Record<string, string>> {
  const paths = (await readdir(app, { recursive: true })).filter(
    (path) => !/^(node_modules|\.git)(\/|$)/.test(path),
  )
  const read: Record<string, string> = {}
  for (const path of paths.toSorted()) {
    if ((await stat(join(app, path))).isFile()) read[path] = await readFile(join(app, path), 'utf8')
  }
  return read
}

const express = { dependencies: { express: '5' }, type: 'module' }

/** Apps as the frameworks' own pages start them; they listen on `PORT`. */
const programs: Record<string, { manifest: object; app: string; code: string }> = {
  'Express, as modules': {
    manifest: express,
    app: 'app.js',
    code: `import express from 'express'
      import { rolecall } from './rolecall.js'
      const app = express()
      app.use(rolecall.middleware())
      app.listen(process.env.PORT, '127.0.0.1')`,
  },
  'Express, as CommonJS': {
    manifest: { dependencies: { express: '5' }, type: 'commonjs' },
    app: 'app.js',
    code: `const express = require('express')
      const { rolecall } = require('./rolecall.js')
      const app = express()
      app.use(rolecall.middleware())
      app.listen(process.env.PORT, '127.0.0.1')`,
  },
  'Fastify, as modules': {
    manifest: { dependencies: { fastify: '5' }, type: 'module' },
    app: 'app.js',
    code: `import Fastify from 'fastify'
      import { rolecall } from './rolecall.js'
      const app = Fastify()
      await app.register(rolecall.plugin)
      await app.listen({ port: process.env.PORT, host: '127.0.0.1' })`,
  },
  'Fastify, as CommonJS': {
    manifest: { dependencies: { fastify: '5' } },
    app: 'app.js',
    code: `const Fastify = require('fastify')
      const { rolecall } = require('./rolecall.js')
      const app = Fastify()
      app.register(rolecall.plugin)
      app.listen({ port: process.env.PORT, host: '127.0.0.1' })`,
  },
  'Hono on Node.js': {
    manifest: { dependencies: { hono: '4', '@hono/node-server': '2' }, type: 'module' },
    app: 'app.js',
    code: `import { serve } from '@hono/node-server'
      import { Hono } from 'hono'
      import { rolecall } from './rolecall.js'
      const app = new Hono()
      app.use(rolecall.middleware())
      serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' })`,
  },
}

describe('an app that rolecall-init was run in', () => {
  const running: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const stop of running.splice(0)) await stop()
  })

  test.each(Object.entries(programs))('has the login, in %s', async (_, { manifest, app: name, code }) => {
    const port = await freePort()
    const app = await givenApp(manifest, { [name]: code })
    const made = init(app, ...given, '--key', '-', '--app-url', `http://127.0.0.1:${port}`)
    expect(made).toMatchObject({ status: 0, stderr: '' })
    const child = spawn(process.execPath, [name], {
      cwd: app,
      env: { PATH: process.env['PATH'], PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (text) => {
      said += text
    })
    const exited = once(child, 'exit')
    running.push(() => {
      child.kill('SIGKILL')
      return exited
    })
    const login = () =>
      fetch(`http://127.0.0.1:${port}/auth/login`, { redirect: 'manual' }).then(
        ({ headers }) => headers.get('location'),
        () => said,
      )
    await expect.poll(login, { interval: 100 }).toMatch(/^https:\/\/id\.example\/api\/auth\/authorize\?/)
    const asked = new URL((await login()) ?? '')
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      client_id: 'prj_1',
      server_id: '1100089314336833537',
      redirect_uri: `http://127.0.0.1:${port}/auth/callback`,
    })
  })

  test.each(['express', 'fastify', 'hono', 'wrangler'])('compiles strictly, with %s', async (name) => {
    const options = { strict: true, module: 'nodenext', target: 'es2022', noEmit: true, types: ['node'] }
    const app = await givenApp(
      { dependencies: { [name]: '*', '@hono/node-server': '*' }, type: 'module' },
      { 'tsconfig.json': JSON.stringify({ compilerOptions: options }), 'src/other.ts': 'export {}' },
    )
    expect(init(app).status).toBe(0)
    expect(await filesOf(app)).toHaveProperty(['src/rolecall.ts'])
    const typescript = createRequire(join(root, 'package.json')).resolve('typescript/package.json')
    await run(process.execPath, [join(dirname(typescript), 'bin/tsc')], app)
  })

  test('has the login, in a Worker, which gets its environment with a request', async () => {
    const app = await givenApp({ devDependencies: { wrangler: '4' }, type: 'module' })
    expect(init(app, ...given, '--key', '-')).toMatchObject({ status: 0, stderr: '' })
    const files = await filesOf(app)
    expect(Object.keys(files)).toEqual(['.dev.vars', '.gitignore', 'package.json', 'src/rolecall.js'])
    expect(files['.gitignore']).toBe('.dev.vars\n')
    await writeFile(
      join(app, 'ask.js'),
      `import { readFileSync } from 'node:fs'
      import { parseEnv } from 'node:util'
      import { rolecallOf } from './src/rolecall.js'
      const env = parseEnv(readFileSync('.dev.vars', 'utf8'))
      const request = new Request('http://localhost:8787/auth/login', { headers: { accept: 'text/html' } })
      const answer = await rolecallOf(env).handle(request, () => new Response())
      console.log(answer.headers.get('location'), rolecallOf(env) === rolecallOf(env))`,
    )
    const said = await run(process.execPath, ['ask.js'], app)
    expect(said).toMatch(/^https:\/\/id\.example\/api\/auth\/authorize\?.* true\n$/)
    expect(said).toContain(encodeURIComponent('http://localhost:8787/auth/callback'))
  })

  test('is that of its framework where wrangler only deploys it', async () => {
    const app = await givenApp({
      dependencies: { hono: '4' },
      devDependencies: { wrangler: '4' },
      type: 'module',
    })
    expect(init(app).status).toBe(0)
    expect((await filesOf(app))['rolecall.js']).toContain('@rolecall/sdk/hono')
  })

  // stacks.test.ts installs, builds and tests the files of the pages.
  test.each([
    ['next', { next: '16', typescript: '5' }, {}, ''],
    ['next', { next: '^16.4.0', typescript: '5' }, { 'src/app/page.tsx': '' }, 'src/'],
    ['nuxt', { nuxt: '4' }, {}, ''],
    ['sveltekit', { '@sveltejs/kit': '2', typescript: '5' }, {}, ''],
  ])('has the files of the page about %s', async (page, devDependencies, files, below) => {
    const app = await givenApp({ devDependencies }, files)
    expect(init(app).status).toBe(0)
    const made = Object.entries(await filesOf(app)).filter(([path]) => /\.ts$/.test(path))
    expect(made.length).toBeGreaterThan(1)
    const shown = await filesIn(page)
    for (const [path, text] of made) expect(text, path).toBe(shown.get(path.slice(below.length))?.trimStart())
  })

  test.each(['express', 'fastify', 'hono'])('has the same login as the example in %s', async (name) => {
    const example = join(root, 'examples', name)
    const app = await givenApp(await readFile(join(example, 'package.json'), 'utf8'))
    init(app)
    expect((await filesOf(app))['rolecall.js']).toBe(await readFile(join(example, 'rolecall.js'), 'utf8'))
  })

  test('is the same after a second run, which says that nothing is missing', async () => {
    const app = await givenApp(express)
    init(app, ...given, '--key', '-')
    const before = await filesOf(app)
    expect(Object.keys(before)).toEqual(['.env', '.gitignore', 'package.json', 'rolecall.js'])
    const other = [
      '--url',
      'https://other.example',
      '--client-id',
      'prj_2',
      '--server-id',
      '1100089314336833538',
    ]
    const again = init(app, ...other, '--key', '-')
    expect(again.status).toBe(0)
    expect(again.stdout).toContain('nothing is missing')
    expect(again.stdout).toContain(
      'ROLECALL_URL was kept as https://id.example, although https://other.example was given.',
    )
    expect(again.stdout).toContain('ROLECALL_CLIENT_ID was kept as prj_1, although prj_2 was given.')
    expect(again.stdout).toContain('delete those lines from .env and run this command again.')
    expect(again.stdout).not.toMatch(/ROLECALL_(API_KEY|SECRET|APP_URL) was kept/)
    expect(again.stdout).toContain('The key was not checked: https://id.example cannot be reached')
    expect(await filesOf(app)).toEqual(before)
  })

  test('keeps its own files, byte by byte, and is told how they join in', async () => {
    const own = {
      '.env': 'DATABASE_URL=x',
      '.env.local': 'A="1"\r\nROLECALL_SECRET=mine # ours\r\nexport ROLECALL_URL=\r\nB=2',
      '.gitignore': '/dist\nnode_modules',
      'middleware.js': 'export const middleware = () => {}\n',
      'lib/rolecall.js': '// made by hand\n',
    }
    const app = await givenApp({ dependencies: { next: '16' } }, own)
    const { stdout } = init(app, ...given)
    const now = await filesOf(app)
    for (const path of ['.env', 'middleware.js', 'lib/rolecall.js'] as const)
      expect(now[path]).toBe(own[path])
    expect(now['.gitignore']).toBe('/dist\nnode_modules\n.env.local\n')
    const filled = own['.env.local'].replace('ROLECALL_URL=', 'ROLECALL_URL=https://id.example')
    expect(now['.env.local']?.startsWith(`${filled}\r\n`)).toBe(true)
    expect(now['.env.local']?.match(/^ROLECALL_SECRET/gm)).toHaveLength(1)
    expect(now).not.toHaveProperty(['proxy.js'])
    expect(stdout).toContain('middleware.js is yours')
    expect(stdout).toContain('Fill in ROLECALL_API_KEY in .env.local')
    expect(stdout).toContain(
      'ROLECALL_SECRET must have at least 32 characters and no spaces. It was not changed',
    )
  })

  test('is told of a key that was kept where another one was given, and sees neither', async () => {
    const app = await givenApp(express, { '.env': 'ROLECALL_API_KEY="rck_mine" # ours\n' })
    const { stdout } = init(app, '--key', '-')
    expect(stdout).toContain(
      'ROLECALL_API_KEY was kept, although another value was given (neither is shown).',
    )
    for (const hidden of ['rck_mine', key]) expect(stdout).not.toContain(hidden)
  })

  test('that makes the login in a file of its own gets no second one', async () => {
    const code =
      "import { createRolecall } from '@rolecall/sdk/express'\nexport const login = createRolecall()\n"
    const app = await givenApp(express, { 'server/login.js': code })
    expect(init(app).stdout).toContain('server/login.js, which contains the sign-in')
    expect(Object.keys(await filesOf(app))).toEqual(['.env', '.gitignore', 'package.json', 'server/login.js'])
  })

  test('has a secret of its own, in a file that its owner alone reads', async () => {
    const secrets = []
    for (const app of [await givenApp(express), await givenApp(express)]) {
      init(app)
      const [, secret] = /^ROLECALL_SECRET=([0-9a-f]{64})$/m.exec((await filesOf(app))['.env'] ?? '') ?? []
      secrets.push(secret)
      expect((await stat(join(app, '.env'))).mode & 0o077).toBe(0)
    }
    expect(new Set(secrets).size).toBe(2)
    expect(secrets).not.toContain(undefined)
  })

  test.each([
    ['.env*', true],
    ['*.local\n.env', true],
    ['.env\n!.env', false],
    ['#.env', false],
    ['/other/.env', false],
  ])('below a repository that ignores %j: is that enough? %s', async (ignored, isEnough) => {
    const above = await mkdtemp(join(folder, 'repository-'))
    await mkdir(join(above, '.git'))
    await writeFile(join(above, '.gitignore'), ignored)
    const app = await givenApp(express, {}, above)
    await rm(join(app, '.git'), { recursive: true })
    init(app)
    expect('.gitignore' in (await filesOf(app))).toBe(!isEnough)
  })
})

describe('rolecall-init', () => {
  test('is run by its name where the package is installed, and loads nothing', async () => {
    const said = await run('npx', ['--no', '--offline', 'rolecall-init', '--help'], installed.app)
    for (const word of ['--dry-run', '--key -', 'ROLECALL_URL', '.gitignore']) expect(said).toContain(word)
  })

  test.each([
    [initCommandOf('README.md'), { '<project ID>': 'prj_1' }],
    ...[
      'packages/sdk/README.md',
      'docs/guides/stacks/express.md',
      'docs/guides/stacks/next.md',
      'docs/guides/stacks/fetch.md',
    ].map((page): [string, Record<string, string>] => [
      initCommandOf(page),
      { '<project ID>': 'prj_1', '<server ID>': '1100089314336833537' },
    ]),
    ['npx --no --offline rolecall-init --url https://id.example --key - < key.txt', {}],
  ])('reads the key and creates the login with the command of the page: %s', async (text, fill) => {
    const app = await givenApp(express, { 'key.txt': key })
    await cp(join(installed.app, 'node_modules/.bin'), join(app, 'node_modules/.bin'), {
      recursive: true,
      verbatimSymlinks: true,
    })
    const said = await runShown(text, { cwd: app, input: key, env: { HOME: app }, fill })
    expect(said).toMatch(/made +rolecall\.js/)
    expect((await filesOf(app))['.env']).toContain(`ROLECALL_API_KEY=${key}`)
    noteRun('npx --no --offline rolecall-init')
  })

  test('shows in a dry run what it would write, without a secret, and writes nothing', async () => {
    const secret = 'PASSWORD=of-the-app'
    const app = await givenApp(express, { '.env': `${secret}\nROLECALL_URL=\n` })
    const before = await filesOf(app)
    const { status, stdout } = init(app, ...given, '--key', '-', '--dry-run')
    expect(status).toBe(0)
    expect(stdout).toContain('--- .env\n+++ .env\n-ROLECALL_URL=\n+ROLECALL_URL=https://id.example\n')
    expect(stdout).toContain('--- /dev/null\n+++ rolecall.js\n')
    // A new file has no lines to remove.
    expect(stdout).not.toMatch(/^-$/m)
    for (const hidden of [key, 'of-the-app']) expect(stdout).not.toContain(hidden)
    expect(stdout).not.toMatch(/[0-9a-f]{64}/)
    expect(await filesOf(app)).toEqual(before)
  })

  test('takes the key from its standard input or the environment, and never says it', async () => {
    const app = await givenApp(express)
    const { stdout, stderr } = init(app, '--key', '-')
    expect((await filesOf(app))['.env']).toContain(`\nROLECALL_API_KEY=${key}\n`)
    expect(stdout + stderr).not.toContain(key)
    const refused = init(await givenApp(express), '--key', key)
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(refused.stderr).toContain('shell history')
    expect(refused.stderr).not.toContain(key)
  })

  test.each<[string, object | string, string[], RegExp]>([
    ['a broken package.json', '{ "dependencies": ', [], /^\S+package\.json is not valid JSON\. /],
    ['a package.json that is a list', '[]', [], /^\S+package\.json is not an object\. /],
    ['no framework', {}, [], /^None of next, .+\. Choose one with --framework\.$/],
    ['two frameworks', { dependencies: { express: '5', fastify: '5' } }, [], /express and fastify\. /],
    ['an unknown framework', express, ['--framework', 'rails'], /^--framework is one of next, /],
    ['an older Next.js', { dependencies: { next: '^15.1.0' } }, [], /^Next\.js 16 or newer is needed; /],
    ['an unknown option', express, ['--nothing'], /^Unknown option '--nothing'\. /],
    ['no address', express, ['--url', 'id.example'], /^ROLECALL_URL must be an address/],
    [
      'a path in the app’s address',
      express,
      ['--app-url', 'https://a.example/b'],
      /^ROLECALL_APP_URL must be/,
    ],
    ['a line break', express, ['--client-id', 'a\nb'], /^ROLECALL_CLIENT_ID must be/],
    ['no snowflake', express, ['--server-id', '12'], /^ROLECALL_SERVER_ID must be/],
  ])(
    'says in one sentence what is wrong with %s, and writes nothing',
    async (_, manifest, args, sentence) => {
      const app = await givenApp(manifest)
      const before = await filesOf(app)
      const { status, stdout, stderr } = init(app, ...args)
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr.trim().split('\n')).toHaveLength(1)
      expect(stderr.trim()).toMatch(sentence)
      expect(await filesOf(app)).toEqual(before)
    },
  )

  test('says where it wants to be run', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'rolecall-empty-'))
    const program = join(installed.staged, 'esm/init/main.js')
    const { status, stderr } = spawnSync(process.execPath, [program], { cwd: empty, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `There is no package.json in ${empty}. Run this command in the folder of your app.\n`,
    })
    await rm(empty, { recursive: true })
  })
})
