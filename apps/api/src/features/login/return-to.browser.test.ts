import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { browserForTests } from '../../../test/browser-for-tests.ts'
import { authorizePath, givenProject } from '../../../test/given.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const world = worldForTests('pglite')
const browser = browserForTests()
let site: Server
let siteUrl: string
/** Addresses that the project's page was opened at, as its script sees them. */
const seen: string[] = []

beforeAll(async () => {
  site = createServer((request, response) => {
    if (request.method === 'POST') request.on('data', (bytes) => seen.push(String(bytes)))
    response.setHeader('content-type', 'text/html')
    response.end('<script>fetch("/seen", { method: "POST", body: location.href })</script>')
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/callback`
})
afterAll(() => void site?.close())

// Browsers keep the fragment of a redirect across the next one: `return_to#code=…` must lead to no redirect.
test('a project cannot have an admin’s code carried to its own page', async () => {
  const project = await givenProject(world, { redirectUris: [siteUrl] })
  const page = await browser.newPage()
  const login = authorizePath(project.id, { redirect_uri: siteUrl })
  await page.goto(world.url + login)
  // At the platform, the admin signs in to the project, as single sign-on requires.
  await page.goto(`${page.url()}&login_as=${demo.users.mara}&auto=1`, { waitUntil: 'networkidle' })
  expect(seen).toEqual([expect.stringContaining('?code=rcc_')])

  const returnTo = login.replace('/authorize?', '/sso/authorize?prompt=none&')
  for (const one of [returnTo, `/console/..${returnTo}`, `/console/%2e%2e${returnTo}`]) {
    const answer = await page.goto(
      `${world.url}/api/auth/admin/login?${new URLSearchParams({ return_to: one })}`,
    )
    expect(answer?.status(), one).toBe(400)
    expect(new URL(page.url()).origin).toBe(world.url)
    expect(new URL(page.url()).hash).toBe('')
  }
  expect(seen).toHaveLength(1)

  // The legitimate way still ends at the console with the code, and the console removes the code from its address.
  await page.goto(`${world.url}/api/auth/admin/login?return_to=/console/`)
  const callback = page.waitForResponse((response) => response.url().includes('/api/auth/callback'))
  await page.goto(`${page.url()}&login_as=${demo.users.mara}&auto=1`)
  expect(await (await callback).headerValue('location')).toMatch(/\/console\/#code=rcc_/)
}, 60_000)
