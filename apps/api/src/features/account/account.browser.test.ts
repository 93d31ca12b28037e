import { demo } from '@rolecall/chat-sim'
import { expect, test } from 'vitest'
import { axeFindings } from '../../../test/axe.ts'
import { browserForTests } from '../../../test/browser-for-tests.ts'
import { givenProject, givenSession, validate } from '../../../test/given.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const world = worldForTests('pglite')
const browser = browserForTests()

test('on a phone a person logs in, ends a session, takes their file and logs out everywhere', async () => {
  const wiki = await givenProject(world, { name: 'The Wiki of Everything That Ever Happened in the Harbour' })
  const { token } = await givenSession(world, wiki)
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => void complaints.push(message.text()))
  await page.goto(`${world.url}/account`)
  await page.waitForURL(({ href }) => href.startsWith(world.sim.url))
  await page.goto(`${page.url()}&login_as=${demo.users.ada}&auto=1`)
  await expect.poll(() => page.locator('h1').innerText()).toBe('Your account')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expect(await page.locator('script').count()).toBe(0)
  expect(await page.locator('main').innerText()).toContain('This browser: Chrome on Linux')

  await page.getByRole('button', { name: /^End: The Wiki/ }).click()
  await expect.poll(() => page.locator('main').innerText()).toContain('The session has ended.')
  expect((await validate(world, wiki, token)).status).toBe(401)
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  expect((await download).suggestedFilename()).toMatch(/^member-\d+-\d{8}\.json$/)
  await page.getByRole('button', { name: 'Sign out: Everywhere' }).click()
  await expect.poll(() => page.locator('h1').innerText()).toBe('You are signed out everywhere')
  expect(complaints).toEqual([])
}, 60_000)

test.each([
  [390, 'light'],
  [390, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const)(
  'at %i pixels, %s, axe finds nothing on its pages',
  async (width, colorScheme) => {
    await givenSession(world, await givenProject(world))
    const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme })
    const page = await context.newPage()
    await page.goto(`${world.url}/account`)
    await page.waitForURL(({ href }) => href.startsWith(world.sim.url))
    await page.goto(`${page.url()}&login_as=${demo.users.ada}&auto=1`)
    for (const path of ['/account', '/account/log-out', '/account?done=session']) {
      await page.goto(`${world.url}${path}`)
      // Not a script of the page, which may have none: the browser's tools run it.
      expect(await axeFindings(page), path).toEqual([])
    }
    await context.close()
  },
  60_000,
)
