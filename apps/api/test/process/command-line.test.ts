import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../tools/free-port.js'
import { commandsOfPage, read } from '../../../../tools/shown/collect.ts'
import { noteRun } from '../../../../tools/shown/notes.ts'
import { filledIn, path } from '../../../../tools/shown/run.ts'
import { call } from '../client.ts'
import { copyTemplate } from '../databases.ts'
import { Browser, walkLogin } from '../given.ts'
import { folderForTests, simForTests } from '../process-for-tests.ts'
import { environmentFor, type ServiceProcess, startService } from './service-process.ts'

const sim = simForTests({ headlessLogin: true })
const folder = folderForTests('rolecall-login-')
let state: string
let first: ServiceProcess
let second: ServiceProcess

beforeAll(async () => {
  // Creates a file that every user can read, as another program may have done.
  state = join(folder, 'state', 'rolecall')
  await mkdir(state, { recursive: true })
  await writeFile(join(state, 'session'), '{}')
  await chmod(state, 0o755)
  await chmod(join(state, 'session'), 0o644)
  // Replaces the system's program, and records the address to open.
  await writeFile(join(folder, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > '${folder}/opened'\n`, {
    mode: 0o755,
  })
  first = await started('first')
  second = await started('second')
})
afterAll(() => Promise.all([first?.kill('SIGKILL'), second?.kill('SIGKILL')]))

async function started(name: string): Promise<ServiceProcess> {
  const home = join(folder, name)
  await mkdir(home)
  await copyTemplate(join(home, 'data'))
  const port = await freePort()
  const environment = environmentFor(sim, port)
  sim.allowRedirect(environment['CHAT_CALLBACK_URL'] as string)
  const service = startService(home, environment)
  await service.listening
  return service
}

interface Typed {
  readonly child: ChildProcess
  output(): string
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>
}

type Place = Readonly<{ cwd?: string; state?: string | undefined }>

/** Types a command as the pages show it, for one of the services. */
function type(text: string, { url }: { url?: string }, place: Place = {}): Typed {
  const { cwd, state: stateHome } = { cwd: folder, state: join(folder, 'state'), ...place }
  const child = spawn('sh', ['-ec', filledIn(text, url ? { 'https://id.example': url } : {})], {
    cwd,
    env: { PATH: `${folder}:${path}`, HOME: folder, ...(stateHome && { XDG_STATE_HOME: stateHome }) },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ended = once(child, 'close').then(() => {
    if (child.exitCode === 0) noteRun(text)
    return child.exitCode
  })
  return { child, output: () => output, ended }
}

async function run(text: string, service: { url?: string }, place?: Place) {
  const typed = type(text, service, place)
  const code = await typed.ended
  return { code, said: typed.output().trim() }
}

/**
 * Starts a server that redirects sign-ins to the service at another address. Records the requests of a command line.
 */
async function startStranger(answer: { status: number; body: object }) {
  const asked: string[] = []
  const server = createServer(({ method, url = '' }, response) => {
    if (method === 'GET') return response.writeHead(302, { location: first.url + url }).end()
    asked.push(`${method} ${url}`)
    return response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer.body))
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked }
}

/** Waits for the address that a command prints. */
async function addressOf({ output }: Typed): Promise<string> {
  await expect.poll(output).toMatch(/^ {2}http:\S+\n/m)
  return /^ {2}(http:\S+)\n/m.exec(output())?.[1] ?? ''
}

/** Signs in with a browser, and submits the form of the confirmation page. */
async function answerAt({ url }: ServiceProcess, address: string, answer = 'confirm') {
  const browser = new Browser(url)
  const end = await walkLogin({ url, sim }, address.slice(url.length), { browser, as: demo.users.mara })
  const { text } = await browser.get(end.pathname + end.search, { accept: 'text/html' })
  const forms = [...text.matchAll(/action="([^"]+)"/g)].map(([, to = '']) => to.replaceAll('&#38;', '&'))
  const headers = { cookie: browser.cookie, 'sec-fetch-site': 'same-origin', accept: 'text/html' }
  return call(url, 'POST', forms.find((to) => to.includes(answer)) ?? '', { headers })
}

const locationOf = ({ headers }: { headers: Headers }) => headers.get('location') ?? ''
const open = async (address: string) => {
  const response = await fetch(address)
  return { status: response.status, text: await response.text() }
}
/** Returns what one click on the code of a page selects. */
const copied = (page: string) => /class="code">([^<]+)</.exec(page)?.[1] ?? ''
const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8)
const stored = () => readFile(join(state, 'session'), 'utf8')

const login = 'rolecall login https://id.example'
const paste = 'rolecall login --paste https://id.example'
const token = 'rolecall token https://id.example'
const logout = 'rolecall logout https://id.example'
const pasteCode = 'echo rcc_x@https://id.example | rolecall login --paste https://id.example'

/** A session with control characters that would clear a terminal or reverse its text. */
const granted = {
  token: 'rcs_\u001b[2Jx',
  expiresAt: '2030-01-01T00:00:00.000Z\u0007',
  member: { username: 'mara\u001b[2J\u009b\u202elind' },
}

async function signIn(service: ServiceProcess) {
  const typed = type(login, service)
  const page = await open(locationOf(await answerAt(service, await addressOf(typed))))
  return { code: await typed.ended, said: typed.output(), page }
}

describe('rolecall login', { timeout: 90_000 }, () => {
  test('opens the browser, ignores what is not its sign-in, and keeps a session that only its user may read', async () => {
    const typed = type(login, first)
    const address = await addressOf(typed)
    await expect.poll(() => readFile(join(folder, 'opened'), 'utf8').catch(() => '')).toBe(address)
    const back = new URL(locationOf(await answerAt(first, address)))
    const strange = new URL(back)
    strange.searchParams.set('state', 'another')
    for (const one of [strange.href, `${back.origin}/`, `${back.origin}/other${back.search}`]) {
      expect((await open(one)).status).toBe(404)
    }
    const page = await open(back.href)
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('You can close this window') })
    expect(await typed.ended, typed.output()).toBe(0)
    expect(typed.output()).toContain(`Signed in to ${first.url} as mara.lind`)

    expect([await modeOf(state), await modeOf(join(state, 'session'))]).toEqual(['700', '600'])
    expect(await readdir(state)).toEqual(['session'])
    expect(await stored()).not.toMatch(/rcr_|rcc_/)
    expect(typed.output()).not.toMatch(/rc[srco]_/)
    const printed = await run(token, first)
    expect([printed.code, await stored()]).toEqual([0, expect.stringContaining(printed.said)])
    const profile = await call(first.url, 'GET', '/api/admin/profile', { token: printed.said })
    expect(profile.body).toMatchObject({ id: demo.users.mara, isSystemAdmin: true })
  })

  test('keeps services apart: with --paste it signs in to a second one, and logout ends one of both', async () => {
    await signIn(first)
    const typed = type(paste, second)
    const shown = await answerAt(second, await addressOf(typed))
    typed.child.stdin?.end(`\n  ${copied(shown.text)}  \n`)
    expect(await typed.ended, typed.output()).toBe(0)

    const tokens = [(await run(token, first)).said, (await run(token, second)).said]
    expect(new Set(tokens).size).toBe(2)
    expect(await run(logout, first)).toEqual({ code: 0, said: `Signed out of ${first.url}.` })
    const statuses = [first, second].map(({ url }, i) =>
      call(url, 'GET', '/api/auth/sessions', { token: tokens[i] ?? '' }),
    )
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([401, 200])
    expect(await run(token, second)).toEqual({ code: 0, said: tokens[1] })
    for (const command of [token, logout]) {
      expect(await run(command, first)).toEqual({
        code: 1,
        said: `You are not signed in to ${first.url}: run \`rolecall login\` first.`,
      })
    }
  })

  test('does what its guide shows, block by block', async () => {
    const guide = 'docs/guides/command-line.md'
    const [begin, use = '', end, show, ...more] = commandsOfPage(guide, read(guide))
      .filter(({ isBlock }) => isBlock)
      .map(({ text }) => text)
    expect([begin, end, show, more]).toEqual([login, logout, paste, []])
    expect((await signIn(first)).code).toBe(0)
    expect((await run(use, first)).said).toContain('"isSystemAdmin":true')
    expect((await run(logout, first)).code).toBe(0)
  })

  test('a session that was revoked is one sentence that says to sign in again, and is removed', async () => {
    await signIn(first)
    const revoked = (await run(token, first)).said
    expect((await call(first.url, 'DELETE', '/api/auth/sessions', { token: revoked })).status).toBe(204)
    expect(await run(token, first)).toEqual({
      code: 1,
      said: `Your session at ${first.url} has ended: run \`rolecall login\` to sign in again.`,
    })
    expect(await stored()).not.toContain(revoked)
  })

  test('stores nothing when the person cancels, or when the answer names another service', async () => {
    const before = await stored()
    const canceled = type(login, first)
    const answer = await answerAt(first, await addressOf(canceled), 'cancel')
    expect((await open(locationOf(answer))).text).toContain('You are not signed in')
    expect([await canceled.ended, canceled.output()]).toEqual([1, expect.stringContaining('was canceled')])

    const mixed = type(login, first)
    const back = new URL(locationOf(await answerAt(first, await addressOf(mixed))))
    back.searchParams.set('iss', 'https://evil.test\u001b[2J')
    expect((await open(back.href)).status).toBe(400)
    expect(await mixed.ended).toBe(1)
    expect(mixed.output()).toContain('"https://evil.test\\u001b[2J"')
    expect(await stored()).toBe(before)
  })

  test('with --paste sends nothing to a service that has sent the browser on to another one', async () => {
    const stranger = await startStranger({ status: 200, body: granted })
    const before = await stored()
    const typed = type(paste, stranger)
    const { headers } = await fetch(await addressOf(typed), { redirect: 'manual' })
    const { text } = await answerAt(first, headers.get('location') ?? '')
    expect(copied(text)).toMatch(/^rcc_\w+@/)
    typed.child.stdin?.end(`${copied(text)}\n`)
    expect(await typed.ended).toBe(1)
    expect(typed.output()).toContain(`The response came from "${first.url}" and not from ${stranger.url}.`)
    for (const bare of ['rcc_x', 'rcc_x@', `@${stranger.url}`]) {
      const { code, said } = await run(`echo ${bare} | rolecall login --paste ${stranger.url}`, {})
      expect([code, said]).toEqual([1, expect.stringContaining('has no address after its code')])
    }
    expect([stranger.asked, await stored()]).toEqual([[], before])
  })

  test.each([
    { status: 200, body: granted },
    { status: 403, body: { detail: granted.member.username } },
  ])('prints nothing of a service that a terminal obeys, in an answer of $status', async (answer) => {
    const stranger = await startStranger(answer)
    const { said } = await run(pasteCode, stranger)
    expect(said).toContain('mara[2Jlind')
    expect(said).not.toMatch(/[^\P{C}\n]/u)
    expect(stranger.asked).toEqual(['POST /api/auth/admin/token'])
  })

  test('takes the address from .env, shows it first, and takes from there no place for the session', async () => {
    const cloned = join(folder, 'cloned')
    await mkdir(cloned)
    await writeFile(
      join(cloned, '.env'),
      `PUBLIC_URL=${first.url}\nXDG_STATE_HOME=${cloned}\nHOME=${cloned}\n`,
    )
    const typed = type('rolecall login', {}, { cwd: cloned, state: undefined })
    const back = locationOf(await answerAt(first, await addressOf(typed)))
    expect(typed.output().split('\n')[0]).toBe(`Signing in to ${first.url}, which PUBLIC_URL names.`)
    expect((await open(back)).status).toBe(200)
    expect(await typed.ended, typed.output()).toBe(0)
    expect(await readdir(cloned)).toEqual(['.env'])
    expect(await readFile(join(folder, '.local/state/rolecall/session'), 'utf8')).toContain(first.url)
  })

  const folderAt = async (at: string) => {
    await mkdir(at)
    await chmod(at, 0o755)
  }
  const places: [string, (at: string) => Promise<void>][] = [
    ['a link', (at) => folderAt(`${at}-elsewhere`).then(() => symlink(`${at}-elsewhere`, at))],
  ]
  // Only root can give a folder to another user.
  if (process.getuid?.() === 0) {
    places.push(['a folder of another user', (at) => folderAt(at).then(() => chown(at, 12_345, 12_345))])
  }
  test.each(places)('stores nothing in %s, and leaves its mode', async (_, make) => {
    const stranger = await startStranger({ status: 200, body: granted })
    const home = await mkdtemp(join(folder, 'home-'))
    const at = join(home, 'rolecall')
    await make(at)
    const { code, said } = await run(pasteCode, stranger, { state: home })
    expect([code, said]).toEqual([1, expect.stringContaining('is a link, or belongs to another user')])
    expect([await modeOf(at), await readdir(at)]).toEqual(['755', []])
  })

  test.each([
    ['rolecall login --wait 1 https://id.example', undefined, 'No sign-in arrived within 1 seconds.'],
    ['rolecall login --wait never https://id.example', undefined, '--wait must be a whole number'],
    ['rolecall login --paste https://id.example < /dev/null', undefined, 'No code was pasted.'],
    [
      'echo rcc_wrong@https://id.example | rolecall login --paste https://id.example',
      undefined,
      'returned status 401.',
    ],
    [login, 'http://id.example', 'is not encrypted'],
    [login, 'id.example', 'is not the address of a service'],
    [logout, 'http://127.0.0.1:1', 'You are not signed in'],
    [pasteCode, 'http://127.0.0.1:1', 'No Rolecall service responded'],
  ])('%s, with %s, ends with 1 and says: %s', async (command, url, expected) => {
    const { code, said } = await run(command, { url: url ?? first.url })
    expect([code, said]).toEqual([1, expect.stringContaining(expected)])
    // The output contains no stack trace.
    expect(said).not.toMatch(/^ +at /m)
  })
})
