import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { freePort } from '../../../../tools/free-port.js'
import { picturesFolder, screenshots } from './list.js'

// `npm run screenshots`: starts the demo in a folder of its own, signs in as Mara Lind, and takes all screenshots of
// the list.

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const pictures = join(root, picturesFolder)
/** The scale of the screenshots: sharp enough for high-resolution screens, and small enough for a document. */
const sharpness = 1.5
const quality = 82

const folder = mkdtempSync(join(tmpdir(), 'rolecall-pictures-'))
const ports = [await freePort(), await freePort(), await freePort()]
const demo = spawn(process.execPath, [join(root, 'examples/demo-site/bin/demo.js')], {
  cwd: folder,
  env: {
    ...process.env,
    PORT: String(ports[0]),
    DEMO_PORT: String(ports[1]),
    CHAT_SIM_PORT: String(ports[2]),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const url = `http://127.0.0.1:${ports[0]}/console`
try {
  await ready()
  await takeAll()
} finally {
  if (demo.exitCode === null) {
    demo.kill()
    await once(demo, 'exit')
  }
  rmSync(folder, { recursive: true, force: true })
}

/** Resolves when the demo has started, which its last lines show. */
async function ready() {
  for await (const line of createInterface({ input: demo.stdout })) {
    if (line.includes('Ctrl-C')) return
  }
  throw new Error('The demo ended before it was up.')
}

async function takeAll() {
  const executablePath = execFileSync('which', [process.env.CHROMIUM ?? 'chromium'], {
    encoding: 'utf8',
  }).trim()
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const storage = await logIn(browser)
  mkdirSync(pictures, { recursive: true })
  for (const one of screenshots) {
    const context = await browser.newContext({
      viewport: { width: one.width, height: one.width === 1280 ? 800 : 780 },
      deviceScaleFactor: sharpness,
      colorScheme: one.look,
      reducedMotion: 'reduce',
      storageState: storage,
    })
    const page = await context.newPage()
    await page.goto(url + (await addressOf(page, one)))
    await page.getByRole('heading', { level: 1, name: one.title }).waitFor()
    await page.getByLabel('Loading').first().waitFor({ state: 'detached' })
    // Waits for the pictures of people, which load after the rows, and only in the visible part of the page.
    await page.waitForFunction(() =>
      [...document.images].every((one) => one.complete || one.getBoundingClientRect().top > innerHeight),
    )
    const devtools = await context.newCDPSession(page)
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality })
    const bytes = Buffer.from(data, 'base64')
    writeFileSync(join(pictures, one.file), bytes)
    console.log(`${one.file}: ${Math.round(bytes.length / 1024)} kB`)
    await context.close()
  }
  await browser.close()
}

/** @param {import('playwright-core').Browser} browser */
async function logIn(browser) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${url}/overview`)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Mara Lind' }).click()
  await page.getByRole('button', { name: 'Authorize' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  const storage = await context.storageState()
  await context.close()
  return storage
}

/**
 * @param {import('playwright-core').Page} page
 * @param {import('./list.js').Screenshot} one
 */
async function addressOf(page, { route, of, query = '' }) {
  const project = /^project=(.*)$/.exec(query)?.[1]
  const asked = project ? `?project=${await find(page, '/projects?name=', project)}` : ''
  if (of === undefined) return route + asked
  const list = route.startsWith('/projects') ? '/projects?name=' : '/members?search='
  return route.replace('$id', await find(page, list, of)) + asked
}

/**
 * @param {import('playwright-core').Page} page
 * @param {string} list
 * @param {string} name
 */
async function find(page, list, name) {
  // Sends the request from a page of the console, which has the cookie of the session.
  await page.goto(`${url}/about`)
  const [found] = await page.evaluate(
    async (path) => (await (await fetch(`/api/admin${path}`)).json()).data,
    list + encodeURIComponent(name),
  )
  if (!found) throw new Error(`The demo has nothing that is called ${name}.`)
  return found.id ?? found.memberId
}
