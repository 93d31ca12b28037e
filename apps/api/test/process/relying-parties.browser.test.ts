import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { demo } from '@rolecall/chat-sim'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../tools/free-port.js'
import { installOnce } from '../../../../tools/install-once.js'
import type { LiveMirror } from '../../src/mirror/gateway/status.ts'
import { findChromium } from '../chromium.ts'
import { call } from '../client.ts'
import { givenAdmin, givenProject } from '../given.ts'
import { startLiveMirror, untilLive } from '../live-mirror.ts'
import { givenClient } from '../oidc.ts'
import { startWorld, type World } from '../service.ts'
import { canProtect, hasOpenidApache, protectingProxies, startOpenidApache } from './protecting-proxies.ts'

/** A site at which members sign in. It answers `/me` with the roles that it knows. */
interface Party {
  readonly origin: string
  /** The path at which a sign-in begins. */
  readonly login: string
  /** The path at which the party's own sign-out begins, and the page where it ends. */
  readonly logout?: readonly [from: string, to: string]
  stop(): unknown
}

interface Row {
  /** Returns true if the program is on this machine. */
  isThere(): boolean
  start(port: number): Promise<Party>
  /** The answer of `/me` once the role is removed: a site continues, and a proxy denies access. */
  readonly withoutRole: { readonly status: number; readonly roles: readonly string[] }
}

const goesOn = { status: 200, roles: [] }
const isClosed = { status: 403, roles: [] }

let world: World
let mirror: LiveMirror
let browser: Browser
const names = ['openid-client', 'auth-js', 'passport', 'express-openid-connect'] as const
const doors = ['nginx', 'caddy', 'apache2'] as const
const ports = new Map<string, number>()

/** The application behind the proxies. */
const application = createServer(({ headers }, answer) => {
  const roles = String(headers['remote-groups'] ?? headers['oidc_claim_roles'] ?? '').split(',')
  answer.setHeader('content-type', 'application/json')
  answer.end(JSON.stringify({ roles: roles.filter((name) => name !== '') }))
})
const applicationPort = () => String((application.address() as AddressInfo).port)
const program = (name: string) =>
  fileURLToPath(new URL(`../../../../tools/peers/relying-parties/${name}.js`, import.meta.url))

/** A site as the documentation of its library writes it. */
const siteWith = (name: (typeof names)[number]): Row => ({
  isThere: () => true,
  withoutRole: goesOn,
  async start(port) {
    const origin = `http://127.0.0.1:${port}`
    const callback = name === 'auth-js' ? '/auth/callback/rolecall' : '/callback'
    const { id, key } = await givenClient(world, {
      redirectUris: [origin + callback],
      oidc: {
        postLogoutRedirectUris: [`${origin}/goodbye`],
        ...(name === 'express-openid-connect' && { backchannelLogoutUri: `${origin}/backchannel-logout` }),
      },
    })
    const given = { port, issuer: world.url, clientId: id, clientSecret: key }
    const child = fork(program(name), [JSON.stringify(given)], { execArgv: [], stdio: 'inherit' })
    await once(child, 'message')
    const logout = name === 'openid-client' && ({ logout: ['/logout', '/goodbye'] } as const)
    return { origin, login: '/login', ...logout, stop: () => child.kill('SIGKILL') }
  },
})

/** Returns the host that a proxy protects. To the browser its port is that of https, which is none of ours. */
const hostOf = (name: string) => `${name}.wiki.example.org`

const doorOf = (name: (typeof doors)[number]): Row => ({
  isThere: () => canProtect(name),
  withoutRole: isClosed,
  async start(port) {
    const { id } = await givenProject(world, { isInternal: true })
    await call(world.url, 'PATCH', `/api/admin/projects/${id}`, {
      token: await givenAdmin(world),
      body: { forwardAuth: { hosts: [hostOf(name)], anyOf: [demo.roles.crew] } },
    })
    const { stop } = await protectingProxies[name]({
      service: new URL(world.url).port,
      application: applicationPort(),
      host: hostOf(name),
      port,
    })
    return { origin: `https://${hostOf(name)}`, login: '/me', stop }
  },
})

const openidApache: Row = {
  isThere: hasOpenidApache,
  withoutRole: isClosed,
  async start(port) {
    const origin = `http://127.0.0.1:${port}`
    const { id, key } = await givenClient(world, {
      redirectUris: [`${origin}/oidc/callback`],
      oidc: {
        postLogoutRedirectUris: [`${origin}/goodbye`],
        backchannelLogoutUri: `${origin}/oidc/callback?logout=backchannel`,
      },
    })
    const given = { issuer: world.url, id, key, application: applicationPort(), port }
    const { stop } = await startOpenidApache(given)
    const bye = `/oidc/callback?logout=${encodeURIComponent(`${origin}/goodbye`)}`
    return { origin, login: '/me', logout: [bye, '/goodbye'], stop }
  },
}

const rows: Readonly<Record<string, Row>> = {
  ...Object.fromEntries(names.map((name) => [name, siteWith(name)])),
  mod_auth_openidc: openidApache,
  ...Object.fromEntries(doors.map((name) => [name, doorOf(name)])),
}

beforeAll(async () => {
  await installOnce('tools/peers')
  world = await startWorld('pglite', { TRUST_PROXY: '127.0.0.1', RATE_LIMIT_GLOBAL: '0' })
  world.service.deps.deliveries.start()
  mirror = startLiveMirror(world.service)
  await untilLive(world)
  await new Promise<void>((listening) => application.listen(0, '127.0.0.1', listening))
  for (const name of Object.keys(rows)) ports.set(name, await freePort())
  const rules = doors.map((name) => `MAP ${hostOf(name)} 127.0.0.1:${ports.get(name)}`)
  browser = await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-gpu', `--host-resolver-rules=${rules.join(', ')}`],
  })
})
afterAll(async () => {
  await browser?.close()
  application.close()
  await mirror?.close()
  await world?.close()
})

/** Returns the party's response to the open page, with its cookies. */
const me = (page: Page) =>
  page.evaluate(async () => {
    const reply = await fetch('/me', { cache: 'no-store', redirect: 'manual' })
    return { status: reply.status, roles: reply.status === 200 ? (await reply.json()).roles : [] }
  })

/** Signs in from the start page of the party, over the platform's screen, back to the party. */
async function logIn(page: Page, { origin, login }: Party, member: string) {
  await page.goto(origin + login)
  await page.waitForURL(({ href }) => href.startsWith(world.sim.url))
  await page.goto(`${page.url()}&login_as=${member}&auto=1`)
  expect(new URL(page.url()).origin).toBe(origin)
}

const inside = { status: 200, roles: ['Crew'] }

describe.each(Object.entries(rows))('a browser at %s', (name, { isThere, start, withoutRole }) => {
  test('is let in, loses a role and has it back, logs out, and is out once its member is kicked', async ({
    skip,
  }) => {
    skip(!isThere(), `${name} is not installed: CONTRIBUTING.md says what the suite needs`)
    const { sim } = world
    const member = sim.world.addUser({ username: `guest-of-${name}` }).id
    sim.world.addMember(demo.mainGuildId, member, { roles: [demo.roles.crew] })
    const party = await start(ports.get(name) ?? 0)
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    try {
      const page = await context.newPage()
      await logIn(page, party, member)
      await expect.poll(() => me(page)).toEqual(inside)
      if (party.logout) {
        const [from, to] = party.logout
        await page.goto(party.origin + from)
        expect(page.url()).toBe(party.origin + to)
        expect((await me(page)).status).toBe(401)
        // Signed out of the service, too: the platform asks again.
        await logIn(page, party, member)
        await expect.poll(() => me(page)).toEqual(inside)
      }
      sim.world.setRoles(demo.mainGuildId, member, [])
      await expect.poll(() => me(page)).toEqual(withoutRole)
      sim.world.setRoles(demo.mainGuildId, member, [demo.roles.crew])
      await expect.poll(() => me(page)).toEqual(inside)
      sim.world.removeMember(demo.mainGuildId, member)
      await expect.poll(async () => (await me(page)).status, { interval: 20 }).toBe(401)
    } finally {
      await context.close()
      await party.stop()
    }
  })
})
