import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Page } from 'playwright-core'
import { givenClient } from '../../oidc.ts'
import { byButton, goesOn, packageVersion, type Row, type Seen } from './party.ts'
import { filesOf } from './recipes.ts'

const guide = 'docs/guides/programs/oidc-client-ts.md'
const modules = new URL('../../../../../tools/peers/node_modules/', import.meta.url)
const html = 'text/html'
const javascript = 'text/javascript'

/** A site of static files, which signs members in within the browser. */
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
    const files = await readSite(fill)
    const server = createServer(({ url = '/' }, answer) => {
      const [type, text] = files.get(new URL(url, origin).pathname) ?? [html, files.get('/')?.[1]]
      answer.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(text)
    })
    await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
    return {
      origin,
      project,
      signIn: byButton(origin, 'Sign in'),
      signOut: { begin: byButton(origin, 'Sign out'), end: '/goodbye' },
      see,
      stop: () => server.close(),
    }
  },
}

/** Returns the files of the page and of the packages, by path. */
async function readSite(fill: (text: string) => string): Promise<Map<string, [type: string, text: string]>> {
  const files = new Map(filesOf(guide))
  const read = (path: string) => readFile(new URL(path, modules), 'utf8')
  return new Map([
    ['/', [html, fill(files.get('index.html') ?? '')]],
    ['/main.js', [javascript, fill(files.get('main.js') ?? '')]],
    ['/oidc-client-ts.js', [javascript, await read('oidc-client-ts/dist/esm/oidc-client-ts.js')]],
    ['/jwt-decode.js', [javascript, await read('jwt-decode/build/esm/index.js')]],
  ])
}

/** Loads the page again, which shows the roles as they are now. */
async function see(page: Page): Promise<Seen> {
  // The callback exchanges its code first.
  await page.locator('#me:not(:empty)').waitFor()
  await page.goto(new URL('/', page.url()).href)
  const shown = (await page.locator('#me:not(:empty)').textContent()) ?? ''
  const [, roles] = /: (.*)$/.exec(shown) ?? []
  if (roles === undefined) return { status: shown === 'Signed out' ? 401 : 503, roles: [] }
  return { status: 200, roles: roles.split(', ').filter((name) => name !== '') }
}
