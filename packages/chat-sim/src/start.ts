import { controlRoutes } from './control/routes.ts'
import { attachGateway } from './gateway/attach.ts'
import { gatewayControl } from './gateway/control.ts'
import { createHub } from './gateway/hub.ts'
import { createListener } from './http/listener.ts'
import { createSwitchableServer } from './http/switchable-server.ts'
import { walkLogin } from './login-walk.ts'
import { oauthControl } from './oauth2/quirks.ts'
import { clearPlatform, createPlatform } from './platform.ts'
import { routes } from './routes.ts'
import { demoWorld } from './world/demo.ts'
import { takeSnapshot } from './world/snapshot.ts'
import type { World } from './world/world.ts'

/** The options of `startChatSim`. */
export interface ChatSimOptions {
  /** The port to listen on. Default 0, which means any free port. */
  port?: number
  host?: string
  world?: World
  /** The address for browsers, if it differs from the address on which the simulator listens, e.g. in a container. */
  publicUrl?: string
  /** Allows `login_as=<id>&auto=1` at the authorize address, which skips the pages. Default false. */
  headlessLogin?: boolean
}

/**
 * Starts a simulator of Discord: its REST API, its OAuth 2.0, its gateway, and its pictures. Real libraries can use it.
 */
export async function startChatSim(options: ChatSimOptions = {}) {
  const { port = 0, host = '127.0.0.1', world = demoWorld() } = options
  const settings = {
    issuer: options.publicUrl ?? '',
    headlessLogin: options.headlessLogin ?? false,
  }
  const platform = createPlatform(world, settings)
  const hub = createHub(platform)
  const gateway = gatewayControl(hub)
  const allRoutes = [...routes, ...controlRoutes({ platform, gateway, reset })]
  const http = createSwitchableServer(createListener(platform, allRoutes), host)
  const detachGateway = attachGateway(hub, http.server)
  await http.up(port)
  settings.issuer ||= `http://${host.includes(':') ? `[${host}]` : host}:${http.port()}`
  const restoreWorld = takeSnapshot(world)
  const { faults, journal, inbox, rateLimits, invalidRequests, clock } = platform
  const url = settings.issuer

  /** Restores the state at the start: world, grants, faults, journal, clock. */
  async function reset(): Promise<void> {
    await http.up()
    gateway.reset()
    clearPlatform(platform)
    restoreWorld()
  }

  return {
    url,
    apiUrl: `${url}/api`,
    authorizeUrl: `${url}/oauth2/authorize`,
    cdnUrl: `${url}/cdn`,
    controlUrl: `${url}/control`,
    app: world.application,
    /** Registers a redirect URI of the application. It stays registered after a reset. */
    allowRedirect(uri: string): void {
      if (!world.application.redirectUris.includes(uri)) world.application.redirectUris.push(uri)
    },
    world,
    clock,
    oauth: oauthControl(platform.quirks, platform.grants),
    gateway,
    failNext: faults.failNext,
    failFor: faults.failFor,
    clearFaults: faults.clearFaults,
    down: () => http.down(),
    up: () => http.up(),
    rateLimits,
    invalidRequests,
    journal,
    inbox,
    login: walkLogin,
    reset,
    async close(): Promise<void> {
      detachGateway()
      await http.down()
    },
  }
}

export type ChatSim = Awaited<ReturnType<typeof startChatSim>>
