import { readFileSync } from 'node:fs'
import { demo } from '@rolecall/chat-sim'
import type { Page } from 'playwright-core'
import type { CompatibilityRecord } from '../../../../../tools/compatibility.ts'
import type { GivenProject } from '../../given.ts'
import { givenClient } from '../../oidc.ts'
import type { World } from '../../service.ts'

/** The status and the roles that a party shows to a browser. */
export interface Seen {
  readonly status: number
  readonly roles: readonly string[]
}

/** A running site, or a proxy with its application, to which members sign in. */
export interface Party {
  readonly origin: string
  /** The project of the site's client or of the protected host. */
  readonly project: GivenProject
  /** Begins a sign-in, which leads to the platform's screen. */
  signIn(page: Page): Promise<unknown>
  /** The sign-out of the party, and the page on which it ends. */
  readonly signOut?: { readonly end: string; begin(page: Page): Promise<unknown> }
  /** Reads what the party shows. By default, this is its response to `/me`. */
  see?(page: Page): Promise<Seen>
  stop(): unknown
}

/** The world and the ports that a party starts with. */
export interface Place {
  readonly world: World
  readonly port: number
  /** The port of the application behind the proxies. */
  readonly application: string
}

/** A program that the tests run. */
export interface Row extends Pick<CompatibilityRecord, 'program' | 'guide'> {
  version(): string | undefined
  /** Returns true if the program is on this machine. */
  isThere(): boolean
  start(place: Place): Promise<Party>
  /** The response after the role was removed. A site continues, and a proxy denies access. */
  readonly withoutRole: Seen
  /** True for a site that uses a refresh token after its access token was rejected. */
  readonly refreshes?: true
  /** True for a site that accepts logout tokens. */
  readonly endsByLogout?: true
  /** True for a site that shows why a sign-in was refused. */
  readonly showsRefusal?: true
  /** True for a site with a sign-out link on its 403 page. */
  readonly leadsOut?: true
  /** The time for which the program caches roles. Without it, the program asks for each request. */
  readonly staleFor?: string
}

/** The response to a member with the role. */
export const inside: Seen = { status: 200, roles: ['Crew'] }
export const goesOn: Seen = { status: 200, roles: [] }
export const isClosed: Seen = { status: 403, roles: [] }

/** Reads what a party shows to the browser of a page. */
export const see = (party: Pick<Party, 'see'>, page: Page): Promise<Seen> =>
  party.see?.(page) ??
  page.evaluate(async () => {
    const reply = await fetch('/me', { cache: 'no-store', redirect: 'manual' })
    return { status: reply.status, roles: reply.status === 200 ? (await reply.json()).roles : [] }
  })

/** Creates the project of a site at an origin, with the secret of its key. */
export const givenSite = (
  world: World,
  origin: string,
  { callback, endsByLogout }: { callback: string } & Pick<Row, 'endsByLogout'>,
): Promise<GivenProject> =>
  givenClient(world, {
    redirectUris: [origin + callback],
    oidc: {
      postLogoutRedirectUris: [`${origin}/goodbye`],
      ...(endsByLogout && { backchannelLogoutUri: `${origin}/backchannel-logout` }),
    },
  })

/** Returns the host name that a proxy protects in the tests. */
export const hostOf = (program: string) => `${program.toLowerCase().replace(/\W/g, '')}.wiki.example.org`

/** Returns a function that signs in or out at an address of the party. */
export const byAddress = (address: string) => (page: Page) => page.goto(address)

/** Returns a function that signs in or out by a button of the party's start page. */
export const byButton = (origin: string, name: string) => async (page: Page) => {
  await page.goto(origin)
  await page.getByRole('button', { name, exact: true }).click()
}

/** Signs a member in: from the start at the party, over the platform's screen, and back to the party. */
export async function logIn(page: Page, { origin, signIn }: Party, { sim }: World, member: string) {
  await signIn(page)
  await page.waitForURL(({ href }) => href.startsWith(sim.url))
  await page.goto(`${page.url()}&login_as=${member}&auto=1`)
  await page.waitForURL((url) => url.origin === origin)
}

/** Returns the version of a package in `tools/peers`, or in another folder with a lock file. */
export const packageVersion = (name: string, folder = 'tools/peers'): string =>
  JSON.parse(
    readFileSync(
      new URL(`../../../../../${folder}/node_modules/${name}/package.json`, import.meta.url),
      'utf8',
    ),
  ).version

/** Creates a guest with the role that the proxies require. */
export function addGuest({ sim }: World, program: string): string {
  const name = hostOf(program).split('.')[0]
  const { id } = sim.world.addUser({ username: `guest-of-${name}` })
  sim.world.addMember(demo.mainGuildId, id, { roles: [demo.roles.crew] })
  return id
}
