import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium } from 'playwright-core'
import { chromiumOptions } from '../../../../../tools/chromium.ts'
import { freePort } from '../../../../../tools/free-port.js'
import { installDebian } from '../../../../../tools/install-debian.ts'
import { installOnce } from '../../../../../tools/install-once.js'
import type { LiveMirror } from '../../../src/mirror/gateway/status.ts'
import { startLiveMirror, untilLive } from '../../live-mirror.ts'
import { startWorld, type World } from '../../service.ts'
import { browserSite } from './browser-site.ts'
import { doors, openidApache } from './doors.ts'
import { hostOf, type Party, type Row } from './party.ts'
import { debianPackages, nextPeers, recipes } from './recipes.ts'
import { sites } from './sites.ts'

export const rows: readonly Row[] = [...sites, browserSite, ...recipes, openidApache, ...doors]

/** The service with a live mirror, a browser, and the data that every party needs. */
export interface Stage {
  readonly browser: Browser
  /** Returns the world. After a restart, it has another service. */
  world(): World
  startParty(row: Row): Promise<Party>
  stopService(): Promise<void>
  /** Starts the service again, at the same address and with the same database. */
  startService(): Promise<void>
  close(): Promise<void>
}

export async function createStage(): Promise<Stage> {
  await installOnce('tools/peers')
  // If Next.js cannot be installed, only its recipe is skipped.
  await installOnce(nextPeers).catch(() => {})
  installDebian(debianPackages)
  let world = await startWorld('pglite', { TRUST_PROXY: '127.0.0.1', RATE_LIMIT_GLOBAL: '0' })
  let mirror = await goLive(world)
  const application = await startApplication()
  const ports = new Map<string, number>()
  for (const { program } of rows) ports.set(program, await freePort())
  const rules = doors.map(({ program }) => `MAP ${hostOf(program)} 127.0.0.1:${ports.get(program)}`)
  const browser = await chromium.launch(chromiumOptions(`--host-resolver-rules=${rules.join(', ')}`))
  const stopService = async () => {
    await mirror.close()
    await world.service.close()
  }
  return {
    browser,
    world: () => world,
    startParty: ({ program, start }) => {
      const { port } = application.address() as AddressInfo
      return start({ world, port: ports.get(program) ?? 0, application: String(port) })
    },
    stopService,
    async startService() {
      const service = await world.another({ PORT: new URL(world.url).port })
      world = { ...world, service }
      mirror = await goLive(world)
    },
    async close() {
      await browser.close()
      application.close()
      await stopService()
      await world.close()
    },
  }
}

async function goLive(world: World): Promise<LiveMirror> {
  world.service.deps.deliveries.start()
  const mirror = startLiveMirror(world.service)
  await untilLive(world)
  return mirror
}

/** Starts the application behind the proxies. */
async function startApplication() {
  const application = createServer(({ headers }, answer) => {
    const roles = String(headers['remote-groups'] ?? headers['oidc_claim_roles'] ?? '').split(',')
    answer.setHeader('content-type', 'application/json')
    answer.end(JSON.stringify({ roles: roles.filter((name) => name !== '') }))
  })
  await new Promise<void>((listening) => application.listen(0, '127.0.0.1', listening))
  return application
}
