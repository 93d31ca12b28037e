import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { demo as ids } from '@rolecall/chat-sim'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium } from './chromium.ts'
import { type Demo, demoFolder, freePort } from './start-demo.ts'
import { chooseAndAgree } from './visitor.ts'

const program = fileURLToPath(new URL('../../examples/start.js', import.meta.url))

let folder: Awaited<ReturnType<typeof demoFolder>>
let demo: Demo
let browser: Browser
let context: BrowserContext
beforeAll(async () => {
  folder = await demoFolder()
  demo = await folder.start()
  browser = await launchChromium()
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await demo?.stop()
  await folder?.remove()
})

/** Runs what `npm run example` runs, beside the demo. */
function startExample(name: string, port: number) {
  const ports = { PORT: String(folder.ports.PORT), EXAMPLE_PORT: String(port) }
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

  test.each([
    ['express', 'Tomás Vrána', 'tomas_v', ids.users.tomas],
    ['fastify', 'Rosa Quint', 'rosa.quint', ids.users.rosa],
    ['hono', 'Kenji Mori', 'kenji_mori', ids.users.kenji],
  ])(
    'in %s opens and closes by what happens on the chat platform, after one login',
    async (name, displayName, username, id) => {
      const port = await freePort()
      const url = `http://127.0.0.1:${port}`
      const example = startExample(name, port)
      running.push(example.stop)
      await expect.poll(example.output, { timeout: 60_000 }).toContain(url)
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
      await expect.poll(async () => (await page.reload())?.status()).toBe(200)
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
      await page.getByRole('button', { name: 'Log out' }).click()
      await page.getByRole('link', { name: 'Log in' }).waitFor()
      expect(await program()).toEqual([401, undefined])
    },
    120_000,
  )

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
