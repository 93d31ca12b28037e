import { demo } from '@rolecall/chat-sim'
import { atPlatform, Browser, type GivenProject } from './given.ts'
import { basic, postForm } from './oidc.ts'
import type { World } from './service.ts'

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** The response of the device authorization endpoint. */
interface Begun {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete: string
  readonly interval: number
}

/** Requests a device code as a device of the project does. */
export async function beginDevice(
  { url }: { url: string },
  project: GivenProject,
  form: Record<string, string> = { scope: 'openid roles offline_access' },
): Promise<Begun> {
  const reply = await postForm(url, '/oidc/device_authorization', form, basic(project))
  if (reply.status !== 200) throw new Error(`device_authorization answered ${reply.status}: ${reply.text}`)
  return reply.body
}

export const pollDevice = (
  { url }: { url: string },
  project: GivenProject,
  { device_code }: Pick<Begun, 'device_code'>,
) => postForm(url, '/oidc/token', { grant_type: deviceGrant, device_code }, basic(project))

/** Sends the form of the device page. */
export async function typeCode(browser: Browser, form: Record<string, string>) {
  const page = await browser.get('/device')
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const sent = { cookie: browser.cookie, origin: browser.url }
  const reply = await postForm(browser.url, '/device', { xsrf, ...form }, sent)
  for (const line of reply.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value) browser.jar.set(name, value)
  }
  return reply
}

interface Person {
  readonly as?: string
  readonly cancel?: boolean
  /** Submits the consent page. */
  readonly decision?: 'allow' | 'deny'
  readonly browser?: Browser
}

/** Types the code, confirms it, and signs in. Returns the last page. */
export async function approveDevice(
  world: Pick<World, 'url' | 'sim'>,
  { user_code }: Pick<Begun, 'user_code'>,
  { as = demo.users.ada, cancel = false, decision = 'allow', browser = new Browser(world.url) }: Person = {},
) {
  let reply = await typeCode(browser, { user_code, confirm: 'yes' })
  for (let i = 0; i < 12; i++) {
    const location = reply.headers.get('location')
    if (location === null) return reply
    const path = location.startsWith(world.sim.url)
      ? await atPlatform(location, { as, cancel })
      : pathOf(location, world.url)
    reply = await browser.get(path)
    if (reply.status === 200 && path.startsWith('/oidc/interaction/')) {
      reply = await postForm(world.url, path, { decision }, { cookie: browser.cookie, origin: world.url })
    }
  }
  throw new Error('The browser is redirected in a loop.')
}

/** The path of an address of the service. */
export function pathOf(location: string, base: string): string {
  const { pathname, search } = new URL(location, base)
  return pathname + search
}
