import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { demo as ids } from '@rolecall/chat-sim'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chromiumOptions } from '../../tools/chromium.ts'
import { freePort } from '../../tools/free-port.js'
import { root } from '../../tools/shown/collect.ts'
import { noteRun, noteSkipped } from '../../tools/shown/notes.ts'
import { launchChromium } from './chromium.ts'
import { type Demo, usedDemoFolder } from './start-demo.ts'
import { chooseAndAgree } from './visitor.ts'

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const program = join(root, String(scripts.example).replace(/^node /, ''))

/** Returns the reason why an example cannot be tested here, or undefined if it can. */
const skipReason: Readonly<Record<string, () => string | undefined>> = {
  next: () => unlessAsked('next'),
  sveltekit: () => unlessAsked('sveltekit'),
  'python-fastapi': () =>
    hasPython() ? undefined : 'apt-get install python3-{fastapi,httpx,cryptography,pip} python3-uvicorn',
}

/** Returns the reason to skip an example that takes minutes to install and build. STACKS=all includes all of them. */
const unlessAsked = (name: string) =>
  ['all', name].includes(process.env['STACKS'] ?? '') ? undefined : `it is loaded with STACKS=all or =${name}`

function hasPython(): boolean {
  const script = 'import cryptography, fastapi, httpx, pip, uvicorn'
  const has = (python: string) => {
    try {
      execFileSync(python, ['-c', script], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }
  return ['python3', '/usr/bin/python3'].some(has)
}

let folder: Awaited<ReturnType<typeof usedDemoFolder>>
let demo: Demo
let browser: Browser
let context: BrowserContext
beforeAll(async () => {
  folder = await usedDemoFolder()
  demo = await folder.start()
  browser = await launchChromium()
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await demo?.stop()
  await folder?.remove()
})

/**
 * Runs the program of `npm run example` in the folder of the demo. npm itself would run it in the folder of
 * package.json.
 */
function startExample(name: string, port: number) {
  const ports = { EXAMPLE_PORT: String(port) }
  const child = spawn(process.execPath, [program, name], {
    cwd: folder.path,
    env: { ...process.env, ...ports },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  const ended = once(child, 'close').then(() => child.exitCode)
  return {
    output: () => output,
    ended,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}

describe('an example', () => {
  const running: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const stop of running.splice(0).reverse()) await stop()
  })

  test('whose port is in use says so in one line, with another', async () => {
    const example = startExample('express', folder.ports.DEMO_PORT)
    expect(await example.ended).toBe(1)
    expect(example.output()).toMatch(/^Port \d+ is in use\. .* EXAMPLE_PORT=\d+ npm run example express\n$/)
  })

  test.for([
    ['express', 'Tomás Vrána', 'tomas_v', ids.users.tomas],
    ['fastify', 'Rosa Quint', 'rosa.quint', ids.users.rosa],
    ['hono', 'Kenji Mori', 'kenji_mori', ids.users.kenji],
    ['python-fastapi', 'piper9041', 'piper9041', ids.users.piper],
    ['next', 'Ada Osei', 'ada.osei', ids.users.ada],
    ['sveltekit', 'يسرى حداد', 'yusra.h', ids.users.yusra],
  ] as const)(
    'in %s opens and closes by what happens on the chat platform, after one login',
    { timeout: 400_000 },
    async ([name, displayName, username, id], { skip }) => {
      const command = `npm run example ${name}`
      const reason = skipReason[name]?.()
      if (reason) {
        noteSkipped(command, reason)
        skip(reason)
      }
      const port = await freePort()
      const url = `http://127.0.0.1:${port}`
      const example = startExample(name, port)
      running.push(example.stop)
      await expect.poll(example.output, { timeout: 300_000 }).toContain(url)
      context = await browser.newContext()
      running.push(() => context.close())
      const page = await context.newPage()
      const program = (): Promise<unknown> =>
        page.evaluate(
          "fetch('/api/me').then(async (answer) => [answer.status, (await answer.json()).username])",
        )

      await page.goto(url)
      expect(await program()).toEqual([401, undefined])
      await page.goto(`${url}/members`)
      await chooseAndAgree(page, displayName)
      await page.getByText(`You are ${username}`).waitFor()
      expect(page.url()).toBe(`${url}/members`)
      expect(await program()).toEqual([200, username])

      expect((await page.goto(`${url}/captains`))?.status()).toBe(403)
      const control = await context.newPage()
      await control.goto(
        `${demo.chatUrl}/control?${new URLSearchParams({ guild: ids.mainGuildId, member: id })}`,
      )
      await control.getByRole('button', { name: /Captain/ }).click()
      // Loads the page again without a reload: an app may have sent it to an address that says why access was refused.
      await expect.poll(async () => (await page.goto(`${url}/captains`))?.status()).toBe(200)
      expect(page.url()).toBe(`${url}/captains`)
      await page.getByText(`Welcome to the bridge, ${username}`).waitFor()

      await control.getByRole('button', { name: 'Kick' }).click()
      await page.goto(url)
      await expect.poll(program).toEqual([401, undefined])
      await page.goto(`${url}/captains`)
      expect(page.url()).toMatch(demo.chatUrl)

      await control.getByRole('button', { name: 'Join the server' }).click()
      await page.goto(`${url}/auth/login`)
      const agree = page.getByRole('button', { name: 'Authorize' })
      await agree.click()
      await page.getByText(`Hello ${username}`).waitFor()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('link', { name: 'Sign in' }).waitFor()
      expect(await program()).toEqual([401, undefined])
      noteRun(command)
    },
  )

  test('is tested by the test that docs/guides/testing.md shows', { timeout: 120_000 }, async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const example = startExample('express', port)
    running.push(example.stop)
    await expect.poll(example.output, { timeout: 60_000 }).toContain(url)
    const page = readFileSync(new URL('../../docs/guides/testing.md', import.meta.url), 'utf8')
    const [, code = ''] = /^```js\n([\s\S]*?)^```$/m.exec(page) ?? []
    // Uses the browser of the system, instead of a downloaded one.
    const installed = pathToFileURL(createRequire(import.meta.url).resolve('playwright-core')).href
    const shown = code
      .replace("import { chromium } from 'playwright'", `import playwright from '${installed}'`)
      .replace('chromium.launch()', `playwright.chromium.launch(${JSON.stringify(chromiumOptions())})`)
    const file = join(folder.path, 'app.test.mjs')
    await writeFile(file, shown)
    const env = { ...process.env, ROLECALL_APP_URL: url, CHAT_SIM_URL: demo.chatUrl }
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', file], { env })
    expect(stdout).toMatch(/pass 1$/m)
  })

  test.each([
    ['rails', /^npm run example <name>, where the name is one of express, /],
    ['', /^npm run example <name>, /],
  ])('that is not there (%j) is told in one sentence', async (name, sentence) => {
    const example = startExample(name, 0)
    expect(await example.ended).toBe(1)
    expect(example.output()).toMatch(sentence)
    expect(example.output().trim().split('\n')).toHaveLength(1)
  })
})
