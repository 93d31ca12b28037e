import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { givenClient } from '../../oidc.ts'
import { byButton, goesOn, packageVersion, type Row, type Seen } from './party.ts'
import { startSite } from './recipes.ts'

const guide = 'docs/guides/programs/oidc-client-ts.md'
const peers = fileURLToPath(new URL('../../../../../tools/peers/dist', import.meta.url))

/** A site with only static files, which signs members in within the browser. */
export const browserSite: Row = {
  program: 'oidc-client-ts',
  guide,
  version: () => packageVersion('oidc-client-ts'),
  isThere: () => true,
  withoutRole: goesOn,
  refreshes: true,
  async start({ world, port }) {
    const origin = `http://127.0.0.1:${port}`
    const project = await givenClient(world, {
      redirectUris: [`${origin}/callback`],
      oidc: { publicClient: true, postLogoutRedirectUris: [`${origin}/goodbye`] },
    })
    const fill = (text: string) =>
      text.replaceAll('PUBLIC_URL', world.url).replaceAll('CLIENT_ID', project.id)
    const stop = await startSite(guide, { port, setUp: '', folder: peers, fill })
    return {
      origin,
      project,
      signIn: byButton(origin, 'Sign in'),
      signOut: { begin: byButton(origin, 'Sign out'), end: '/goodbye' },
      see,
      stop,
    }
  },
}

/** Loads the page again, which then shows the current roles. */
async function see(page: Page): Promise<Seen> {
  // Waits until the callback has exchanged its code.
  await page.locator('#me:not(:empty)').waitFor()
  await page.goto(new URL('/', page.url()).href)
  const shown = (await page.locator('#me:not(:empty)').textContent()) ?? ''
  const [, roles] = /: (.*)$/.exec(shown) ?? []
  if (roles === undefined) return { status: shown === 'Signed out' ? 401 : 503, roles: [] }
  return { status: 200, roles: roles.split(', ').filter((name) => name !== '') }
}
