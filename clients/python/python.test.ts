import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { demo } from '@rolecall/chat-sim'
import { describe, expect, test, vi } from 'vitest'
import { givenProject, walkLogin } from '../../apps/api/test/given.ts'
import { startWorld } from '../../apps/api/test/service.ts'
import { freePort } from '../../tools/free-port.js'
import { installDebian } from '../../tools/install-debian.ts'
import { commandsOfPage, read } from '../../tools/shown/collect.ts'
import { noteRun } from '../../tools/shown/notes.ts'
import { filledIn } from '../../tools/shown/run.ts'
import { openDoor } from './tests/door.ts'

/** The full name of Debian's own: another one first in PATH would not find Debian's packages. */
const python = '/usr/bin/python3'
/** Module → the Debian package that contains it. */
const needed = {
  httpx: 'python3-httpx',
  fastapi: 'python3-fastapi',
  django: 'python3-django',
  cryptography: 'python3-cryptography',
  uvicorn: 'python3-uvicorn',
  dotenv: 'python3-dotenv',
  pytest: 'python3-pytest',
  pytest_asyncio: 'python3-pytest-asyncio',
  mypy: 'mypy',
  pip: 'python3-pip',
  setuptools: 'python3-setuptools',
  wheel: 'python3-wheel',
}

/** Modules that are not committed, and that every published package must contain. */
const generated = ['client.py', 'event_reader.py', 'models.py', 'web/page_texts.py']

const run = promisify(execFile)
const folder = fileURLToPath(new URL('.', import.meta.url))
const isReady = ensurePython()

describe.skipIf(!isReady)('the client for Python', () => {
  test('has types without a gap, and syntax of Python 3.9', async () => {
    const { stdout } = await run(python, ['-m', 'mypy', '--cache-dir=/dev/null'], { cwd: folder })
    expect(stdout).toMatch(/^Success: no issues found in \d+ source files/)
  }, 120_000)

  test('installs from its folder, with its types and its license, and is imported from there', async () => {
    const place = await mkdtemp(join(tmpdir(), 'rolecall-python-'))
    try {
      // Building adds files beside the sources.
      await cp(folder, join(place, 'source'), { recursive: true })
      const options = [
        '--quiet',
        '--no-build-isolation',
        '--no-deps',
        '--no-index',
        '--target',
        join(place, 'lib'),
      ]
      await run(python, ['-m', 'pip', 'install', ...options, join(place, 'source')], { cwd: place })
      const script = 'import rolecall, rolecall.fastapi, rolecall.django; print(rolecall.__file__)'
      const env = { PATH: process.env['PATH'], PYTHONPATH: join(place, 'lib') }
      const { stdout } = await run(python, ['-c', script], { cwd: place, env })
      expect(stdout.trim()).toBe(join(place, 'lib', 'rolecall', '__init__.py'))
      const files = await readdir(join(place, 'lib'), { recursive: true })
      expect(files).toContain('rolecall/py.typed')
      expect(files).toContain('rolecall/web/login_flow.py')
      for (const name of generated) expect(files).toContain(`rolecall/${name}`)
      expect(files).toContain('rolecall-0.1.0.dist-info/LICENSE')
    } finally {
      await rm(place, { recursive: true, force: true })
    }
  }, 120_000)

  test('signs Ada in with the app of the README, started as the README says, and opens the page of her role', async () => {
    const readme = 'clients/python/README.md'
    const [, code = ''] = /^```python\n(# app\.py\n[\s\S]*?)^```$/m.exec(read(readme)) ?? []
    const start =
      commandsOfPage(readme, read(readme)).find(({ text }) => text.startsWith('uvicorn '))?.text ?? ''
    const port = await freePort()
    const app = `http://127.0.0.1:${port}`
    const world = await startWorld('pglite')
    const place = await mkdtemp(join(tmpdir(), 'rolecall-python-'))
    const { id, key } = await givenProject(world, { redirectUris: [`${app}/auth/callback`] })
    const values = {
      ROLECALL_URL: world.url,
      ROLECALL_API_KEY: key,
      ROLECALL_CLIENT_ID: id,
      ROLECALL_SERVER_ID: demo.mainGuildId,
      ROLECALL_APP_URL: app,
      ROLECALL_SECRET: 'x'.repeat(32),
    }
    // Debian has the program in a package of its own.
    await writeFile(join(place, 'uvicorn'), `#!/bin/sh\nexec ${python} -m uvicorn "$@"\n`, { mode: 0o755 })
    await writeFile(join(place, 'app.py'), code)
    await writeFile(
      join(place, '.env'),
      Object.entries(values)
        .map((pair) => `${pair.join('=')}\n`)
        .join(''),
    )
    const env = {
      PATH: `${place}:/usr/bin:/bin`,
      PYTHONPATH: join(folder, 'src'),
      PYTHONDONTWRITEBYTECODE: '1',
    }
    const server = spawn('sh', ['-c', `exec ${filledIn(start, { 8080: String(port) })}`], { cwd: place, env })
    let output = ''
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (output += text))
    const get = (url: string, cookie = '') => fetch(url, { redirect: 'manual', headers: { cookie } })
    const cookiesOf = (response: Response) =>
      response.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ')
    try {
      await vi.waitFor(() => expect(output).toContain('Uvicorn running'), { timeout: 30_000 })
      const login = await get(`${app}/auth/login?return_to=/crew`)
      const { pathname, search } = new URL(login.headers.get('location') ?? '')
      const back = await walkLogin(world, `${pathname}${search}`)
      const signedIn = await get(back.href, cookiesOf(login))
      expect(signedIn.headers.get('location')).toBe(`${app}/crew`)
      const crew = await get(`${app}/crew`, cookiesOf(signedIn))
      expect(await crew.json()).toEqual({ hello: 'ada.osei' })
      noteRun(start)
    } finally {
      server.kill()
      await rm(place, { recursive: true, force: true })
      await world.close()
    }
  }, 120_000)

  test('is packaged with its generated modules, and fails without them', async () => {
    const place = await mkdtemp(join(tmpdir(), 'rolecall-python-'))
    const pack = () => run(python, ['setup.py', '--quiet', 'sdist', '--formats=gztar'], { cwd: place })
    try {
      await cp(folder, place, { recursive: true })
      await pack()
      const [archive = ''] = await readdir(join(place, 'dist'))
      const { stdout } = await run('tar', ['-tzf', join(place, 'dist', archive)])
      const files = stdout.split('\n')
      for (const name of generated) expect(files).toContain(`rolecall-0.1.0/src/rolecall/${name}`)
      await rm(join(place, 'src/rolecall/models.py'))
      await expect(pack()).rejects.toThrow('src/rolecall lacks models.py. Run `npm ci`')
    } finally {
      await rm(place, { recursive: true, force: true })
    }
  }, 120_000)

  test('passes its own tests against a service that runs, and skips none', async () => {
    // Each attempt has its own: members who left in one are missing in the next.
    const world = await startWorld('postgres', { PERMISSION_TTL_MS: '3600000' })
    const door = await openDoor(world)
    const place = await mkdtemp(join(tmpdir(), 'rolecall-python-'))
    const certificate = join(place, 'one.pem')
    try {
      await writeFile(certificate, `${rootCertificates[0]}\n`)
      const args = [
        '-m',
        'pytest',
        '-q',
        '-rA',
        '-p',
        'no:cacheprovider',
        '-W',
        'error::pytest.PytestWarning',
      ]
      const env = {
        PATH: process.env['PATH'],
        PYTHONDONTWRITEBYTECODE: '1',
        // Every client reads all certificates of the system, which takes longer than most tests: none speaks TLS.
        SSL_CERT_FILE: certificate,
        ROLECALL_TEST: JSON.stringify(door.terms),
      }
      const { stdout } = await run(python, args, { cwd: folder, env }).catch((error) => {
        throw new Error(`${error.stdout}\n${error.stderr}`)
      })
      const [, passed = '0', rest = ''] = /^(\d+) passed(.*) in /m.exec(stdout) ?? []
      expect(Number(passed)).toBeGreaterThan(50)
      expect(rest).not.toMatch(/failed|skipped|error/)
    } finally {
      await rm(place, { recursive: true, force: true })
      await door.close()
      await world.close()
    }
  }, 300_000)
})

/** Installs missing packages as root on Debian. Otherwise prints them, and counts the tests as skipped. */
function ensurePython(): boolean {
  const names = missing()
  if (names.length === 0) return true
  installDebian(names)
  if (missing().length === 0) return true
  console.warn(`The client for Python is SKIPPED: apt-get install ${missing().join(' ')}`)
  return false
}

/** Lists the missing packages. */
function missing(): string[] {
  if (!existsSync(python)) return ['python3', ...Object.values(needed)]
  const script =
    'import sys; from importlib.util import find_spec; print(*[m for m in sys.argv[1:] if not find_spec(m)])'
  const names = execFileSync(python, ['-c', script, ...Object.keys(needed)], { encoding: 'utf8' })
  return Object.entries(needed).flatMap(([module, name]) =>
    names.split(/\s/).includes(module) ? [name] : [],
  )
}
