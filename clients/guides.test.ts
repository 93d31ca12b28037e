import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fencesOf } from '../acceptance/browser/shell.ts'
import { givenProject, walkLogin } from '../apps/api/test/given.ts'
import { worldForTests } from '../apps/api/test/world-for-tests.ts'
import { isInstalled } from '../bench/src/rolling-proxies.ts'
import { freePort } from '../tools/free-port.js'
import { noteRun, noteSkipped } from '../tools/shown/notes.ts'
import { filledIn } from '../tools/shown/run.ts'

/** The site of each guide, as a reader copies it: the block of its language, started as the page says. */
const guides = [
  {
    page: 'php.md',
    language: 'php',
    file: 'site.php',
    program: 'php',
  },
  {
    page: 'go.md',
    language: 'go',
    file: 'site.go',
    program: 'go',
  },
  {
    page: 'java.md',
    language: 'java',
    file: 'Site.java',
    program: 'javac',
  },
]

const folder = new URL('../docs/guides/', import.meta.url)
const read = (page: string) => readFileSync(new URL(page, folder), 'utf8')

const world = worldForTests('pglite')

test('every guide in another language is run here, or says that it is not', () => {
  const pages = readdirSync(folder).filter(
    (page) => page.endsWith('.md') && fencesOf(read(page)).some(({ text }) => text.length > 2_000),
  )
  const run = guides.map(({ page }) => page)
  const unmarked = pages.filter((page) => !run.includes(page) && !read(page).includes('Not run by our tests'))
  expect(pages).toEqual(expect.arrayContaining([...run, 'csharp.md']))
  expect(unmarked).toEqual([])
})

describe.each(guides)('docs/guides/$page', ({ page, language, file, program }) => {
  const [start = ''] = fencesOf(read(page)).flatMap((fence) =>
    fence.language === 'sh' ? [fence.text.trimEnd()] : [],
  )
  if (!isInstalled(program)) noteSkipped(start, `${program} is missing`)

  test.skipIf(!isInstalled(program))(
    'logs in, shows live roles, and logs out',
    async () => {
      const place = await mkdtemp(join(tmpdir(), 'rolecall-guide-'))
      const port = await freePort()
      const appUrl = `http://127.0.0.1:${port}`
      const project = await givenProject(world, { redirectUris: [`${appUrl}/callback`] })
      const env = { PATH: process.env['PATH'], HOME: place, GOTOOLCHAIN: 'local' }
      const [code] = fencesOf(read(page)).filter((fence) => fence.language === language)
      await writeFile(join(place, file), code?.text ?? '')
      const command = filledIn(start, {
        'https://id.example': world.url,
        'rck_…': project.key,
        'CLIENT_ID=…': `CLIENT_ID=${project.id}`,
        'SERVER_ID=…': `SERVER_ID=${world.service.config.chatGuildId}`,
        8080: String(port),
      })
      // The process group includes the process that `go run` starts.
      const site = spawn('sh', ['-ec', command], { cwd: place, env, stdio: 'ignore', detached: true })
      try {
        await expect.poll(() => answers(appUrl), { timeout: 60_000, interval: 200 }).toBe(true)
        await walkTheSite(appUrl)
        noteRun(start)
      } finally {
        await end(site)
        await rm(place, { recursive: true, force: true })
      }
    },
    180_000,
  )
})

/** Walks a person through the site, and tests forbidden requests. */
async function walkTheSite(appUrl: string) {
  const browser = new Jar(appUrl)
  expect((await browser.go('/')).headers.get('location')).toBe('/login')
  const authorize = (await browser.go('/login')).headers.get('location') ?? ''
  expect(new URL(authorize).searchParams.get('code_challenge_method')).toBe('S256')
  const back = await walkLogin(world, authorize.slice(world.url.length))
  const callback = back.pathname + back.search

  const stranger = new Jar(appUrl)
  expect((await stranger.go(callback)).status).toBe(400)
  const elsewhere = callback.replace(encodeURIComponent(world.url), 'https%3A%2F%2Fevil.example')
  expect(elsewhere).not.toBe(callback)
  const other = new Jar(appUrl, browser)
  expect((await other.go(elsewhere)).status).toBe(400)

  const finished = await browser.go(callback)
  expect([finished.status, finished.headers.get('location')]).toEqual([303, '/'])
  for (const line of finished.headers.getSetCookie()) expect(line).toMatch(/httponly/i)
  const home = await browser.go('/')
  expect(await home.text()).toMatch(/Hello ada\.osei:.*Crew/)
  expect(home.headers.get('cache-control')).toBe('no-store')

  const before = new Jar(appUrl, browser)
  expect((await browser.go('/logout')).status).toBe(405)
  // A form of another site: a response that deletes the cookie would log the person out.
  const foreign = [
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-site', origin: appUrl },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    {},
  ]
  for (const headers of foreign) expect((await browser.go('/logout', 'POST', headers)).status).toBe(403)
  expect(await (await browser.go('/')).text()).toMatch(/Hello ada\.osei:/)
  for (const [name, value] of Object.entries({ origin: appUrl, 'sec-fetch-site': 'same-origin' })) {
    const left = await browser.go('/logout', 'POST', { [name]: value })
    expect(left.headers.get('location')).toBe('/login')
  }
  // The session itself has ended, not only its cookie. Invalid input of a visitor does not count as an outage.
  expect((await before.go('/')).headers.get('location')).toBe('/login')
  const odd = new Jar(appUrl)
  odd.cookies.set('session', 'a"\\,"b":"c')
  expect((await odd.go('/')).headers.get('location')).toBe('/login')
}

/** Keeps the cookies of one browser, which follows no redirect. */
class Jar {
  readonly cookies: Map<string, string>
  readonly #url: string

  constructor(url: string, other?: Jar) {
    this.#url = url
    this.cookies = new Map(other?.cookies)
  }

  async go(path: string, method = 'GET', more: Record<string, string> = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const reply = await fetch(this.#url + path, {
      method,
      headers: { ...more, cookie },
      redirect: 'manual',
    })
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0/i.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return reply
  }
}

const answers = (url: string) =>
  fetch(`${url}/login`, { redirect: 'manual' }).then(
    (reply) => reply.status < 400,
    () => false,
  )

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.pid === undefined) return
  const ended = once(child, 'exit')
  process.kill(-child.pid, 'SIGKILL')
  await ended
}
