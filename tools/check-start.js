import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.js'

// Runs the commands of the README that start a demo: `git clone https://github.com/rolecall/rolecall.git`, but of HEAD
// here, `cd rolecall`, and `npm ci && npm start`. Signs in at the demo site as a browser does, presses Ctrl-C, and runs
// `npm start` again with the same data. Then runs `npm run build`. Needs no previous build.

const firstStartSec = 90
const secondStartSec = 10
const stopSec = 15
const person = 'Ada Osei'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'rolecall-start-'))
/** @type {import('node:child_process').ChildProcess | undefined} */
let running
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
process.once('exit', () => {
  if (running?.pid) process.kill(-running.pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const clone = join(folder, 'rolecall')
timed('git clone', () => execFileSync('git', ['clone', '--quiet', root, clone], { stdio: 'inherit' }))
const [, install = '', start = ''] =
  /^```sh\n(npm ci) && (npm start)\n```$/m.exec(readFileSync(join(clone, 'README.md'), 'utf8')) ?? []
if (!start) throw new Error('The README does not show `npm ci && npm start`.')
timed(install, () => run(install))

const [port, sitePort, chatPort] = await Promise.all([freePort(), freePort(), freePort()])
const service = `http://127.0.0.1:${port}`
const site = `http://127.0.0.1:${sitePort}`

await startAndHealth(start, firstStartSec)
await logIn()
await stop()
await startAndHealth('npm start, second time', secondStartSec)
await logIn()
await stop()
timed('npm run build', () => run('npm run build'))

/** Starts a command in the clone, as if a user had typed it. */
function run(/** @type {string} */ command) {
  const env = { ...process.env, npm_config_loglevel: 'error' }
  execFileSync('sh', ['-c', command], { cwd: clone, env, stdio: 'inherit' })
}

async function startAndHealth(/** @type {string} */ title, /** @type {number} */ withinSec) {
  const began = performance.now()
  const child = spawn('sh', ['-c', `exec ${start}`], {
    cwd: clone,
    env: { ...process.env, PORT: `${port}`, DEMO_PORT: `${sitePort}`, CHAT_SIM_PORT: `${chatPort}` },
    stdio: ['ignore', 'inherit', 'inherit'],
    // Creates a process group, because Ctrl-C in a terminal reaches npm and all its children.
    detached: true,
  })
  running = child
  for (;;) {
    const health = await fetch(`${service}/api/health`).catch(() => undefined)
    const siteAnswers = health?.ok && (await fetch(site).catch(() => undefined))?.ok
    if (siteAnswers) break
    if (child.exitCode !== null) {
      running = undefined
      throw new Error(`${title} ended with code ${child.exitCode}`)
    }
    if (performance.now() - began > withinSec * 1000) throw new Error(`${title}: no health in ${withinSec} s`)
    await sleep(50)
  }
  say(`${title}: healthy`, began)
}

/** Presses Ctrl-C, and waits for the end. Throws if the exit code is that of a failure. */
async function stop() {
  const began = performance.now()
  const child = running
  if (!child?.pid) throw new Error('nothing runs')
  const ended = once(child, 'exit')
  process.kill(-child.pid, 'SIGINT')
  const outcome = await Promise.race([ended, sleep(stopSec * 1000)])
  if (!outcome) throw new Error(`still running ${stopSec} s after SIGINT`)
  running = undefined
  const [code, signal] = outcome
  // npm may exit with 130, or end by the signal that it passes on. Both are a requested stop.
  if (code !== 0 && code !== 130 && signal !== 'SIGINT') throw new Error(`ended with ${code ?? signal}`)
  if (await fetch(service).catch(() => undefined)) throw new Error('the service outlived npm start')
  say(`stopped, ${signal ?? `code ${code}`}`, began)
}

/** Signs in by the links and forms of the demo site, with cookies, like a browser without scripts. */
async function logIn() {
  const began = performance.now()
  const browser = createBrowser()
  const people = await browser.open(`${site}/login`)
  const choice = button(people.html, person)
  const consent = await browser.submit(people, '/login', { next: hidden(people.html, 'next'), user: choice })
  const decision = { user: hidden(consent.html, 'user'), decision: 'authorize' }
  const home = await browser.submit(consent, consent.url, decision)
  if (!home.url.startsWith(site) || !home.html.includes(person)) {
    throw new Error(`the sign-in ended at ${home.url} without ${person}`)
  }
  say(`${person} signed in at the demo site`, began)
}

/** @typedef {{ url: string, html: string }} Page */

function createBrowser() {
  // One map of cookies for all three parts. They are at 127.0.0.1, and cookies belong to a host with all its ports.
  /** @type {Map<string, string>} */
  const jar = new Map()

  /** @returns {Promise<Page>} */
  async function open(/** @type {string} */ url, /** @type {RequestInit} */ init = {}) {
    const cookies = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...init.headers, cookie: cookies, accept: 'text/html' },
    })
    for (const line of response.headers.getSetCookie()) keep(line)
    const location = response.headers.get('location')
    if (location) return open(new URL(location, url).href)
    const html = await response.text()
    if (!response.ok) throw new Error(`${url} answered ${response.status}: ${html.slice(0, 2000)}`)
    return { url, html }
  }

  function keep(/** @type {string} */ line) {
    const [pair = ''] = line.split(';')
    const name = pair.slice(0, pair.indexOf('='))
    if (/max-age=0/i.test(line)) jar.delete(name)
    else jar.set(name, pair.slice(name.length + 1))
  }

  return {
    open: (/** @type {string} */ url) => open(url),
    submit(
      /** @type {Page} */ page,
      /** @type {string} */ action,
      /** @type {Record<string, string>} */ fields,
    ) {
      const body = new URLSearchParams(fields)
      return open(new URL(action, page.url).href, {
        method: 'POST',
        body,
        headers: { origin: new URL(page.url).origin },
      })
    },
  }
}

/** Returns the value of a hidden field. */
function hidden(/** @type {string} */ html, /** @type {string} */ name) {
  const value = new RegExp(`type="hidden" name="${name}" value="([^"]*)"`).exec(html)?.[1]
  if (value === undefined) throw new Error(`no field ${name} in ${html.slice(0, 2000)}`)
  return value.replaceAll('&amp;', '&').replaceAll('&#38;', '&')
}

/** Returns the value of the button with this text. */
function button(/** @type {string} */ html, /** @type {string} */ text) {
  const found = html.split('<button').find((part) => (part.split('</button>')[0] ?? '').includes(text))
  const value = /value="([^"]*)"/.exec(found ?? '')?.[1]
  if (!value) throw new Error(`no button ${text} in ${html.slice(0, 2000)}`)
  return value
}

function timed(/** @type {string} */ title, /** @type {() => unknown} */ run) {
  const began = performance.now()
  run()
  say(title, began)
}

function say(/** @type {string} */ what, /** @type {number} */ began) {
  console.log(`--- ${what} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
}
