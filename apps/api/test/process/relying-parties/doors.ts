import { demo } from '@rolecall/chat-sim'
import { debianVersion } from '../../../../../tools/install-debian.ts'
import { call } from '../../client.ts'
import { givenAdmin, givenProject } from '../../given.ts'
import { givenClient } from '../../oidc.ts'
import { canProtect, hasOpenidApache, protectingProxies, startOpenidApache } from '../protecting-proxies.ts'
import { byAddress, hostOf, isClosed, type Row } from './party.ts'

/** Returns a proxy that asks the service about each request. */
const doorOf = (program: string, name: keyof typeof protectingProxies): Row => ({
  program,
  guide: 'docs/guides/forward-auth.md',
  version: () => debianVersion(name === 'apache2' ? 'apache2-bin' : name),
  isThere: () => canProtect(name),
  withoutRole: isClosed,
  async start({ world, port, application }) {
    const host = hostOf(program)
    const project = await givenProject(world, { isInternal: true })
    await call(world.url, 'PATCH', `/api/admin/projects/${project.id}`, {
      token: await givenAdmin(world),
      body: { forwardAuth: { hosts: [host], anyOf: [demo.roles.crew] } },
    })
    const service = new URL(world.url).port
    const { stop } = await protectingProxies[name]({ service, application, host, port })
    const origin = `https://${host}`
    return { origin, project, signIn: byAddress(`${origin}/me`), stop }
  },
})

export const doors: readonly Row[] = [
  doorOf('HAProxy', 'haproxy'),
  doorOf('nginx', 'nginx'),
  doorOf('Caddy', 'caddy'),
  doorOf('Apache with Lua', 'apache2'),
]

export const openidApache: Row = {
  program: 'Apache with mod_auth_openidc',
  guide: 'docs/guides/programs/apache.md',
  version: () => debianVersion('libapache2-mod-auth-openidc'),
  isThere: hasOpenidApache,
  withoutRole: isClosed,
  endsByLogout: true,
  showsRefusal: true,
  leadsOut: true,
  staleFor: 'a second, as configured',
  async start({ world, port, application }) {
    const origin = `http://127.0.0.1:${port}`
    const project = await givenClient(world, {
      redirectUris: [`${origin}/oidc/callback`],
      oidc: {
        postLogoutRedirectUris: [`${origin}/goodbye`],
        backchannelLogoutUri: `${origin}/oidc/callback?logout=backchannel`,
      },
    })
    const given = { issuer: world.url, ...project, application, port }
    const { stop } = await startOpenidApache(given)
    const bye = `${origin}/oidc/callback?logout=${encodeURIComponent(`${origin}/goodbye`)}`
    const signOut = { begin: byAddress(bye), end: '/goodbye' }
    return { origin, project, signIn: byAddress(`${origin}/me`), signOut, stop }
  },
}
