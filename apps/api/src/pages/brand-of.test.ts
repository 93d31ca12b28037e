import { createHash } from 'node:crypto'
import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { call, type Reply } from '../../test/client.ts'
import { ciEngines } from '../../test/databases.ts'
import { authorizePath, Browser, type GivenProject, givenAdmin } from '../../test/given.ts'
import { png } from '../../test/images.ts'
import { authPath, givenClient, walk } from '../../test/oidc.ts'
import { worldForTests } from '../../test/world-for-tests.ts'

const accept = 'text/html'
const server = 'Harbour Club'
const accent = ':root{--accent:#ffd400;--on-accent:#000000}'

/** A browser that keeps every page that it was shown. */
class Recording extends Browser {
  readonly pages: Reply[] = []
  override async get(path: string, headers: Record<string, string> = {}) {
    const reply = await super.get(path, { accept, ...headers })
    if (reply.headers.get('content-type')?.startsWith('text/html')) this.pages.push(reply)
    return reply
  }
}

describe.each(ciEngines)('the look of pages on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  let project: GivenProject
  let other: GivenProject
  let image: string
  const browser = () => new Recording(world.url)
  beforeAll(async () => {
    const token = await givenAdmin(world)
    project = await givenClient(world, { name: 'Tide & table', isInternal: false })
    other = await givenClient(world, { name: 'Plain', isInternal: false, serverIds: [] })
    const path = `/api/admin/projects/${project.id}`
    const headers = { 'content-type': 'image/png' }
    await call(world.url, 'PUT', `${path}/logo`, { token, raw: png(), headers })
    await call(world.url, 'PATCH', path, { token, body: { branding: { accentColor: '#ffd400' } } })
    const digest = createHash('sha256').update(png()).digest('base64url')
    image = `/api/projects/${project.id}/logo?v=${digest}`
  })

  const headerOf = ({ text }: Reply) => /<header class="brand">.*<\/header>/.exec(text)?.[0] ?? ''
  const policyOf = ({ headers }: Reply) => headers.get('content-security-policy') ?? ''

  test('the server, the project, its logo and its color are on the page of a refused link and on consent', async () => {
    const refused = await browser().get(authorizePath(project.id, { redirect_uri: 'https://evil.example/' }))
    const consenting = browser()
    await walk(world, authPath(project), { browser: consenting, as: demo.users.ada })
    const consent = consenting.pages.filter(({ status }) => status === 200)
    expect(consent).toHaveLength(1)
    for (const page of [refused, ...consent]) {
      const header = headerOf(page)
      for (const shown of [server, 'Tide &#38; table', image, '/icon/']) expect(header).toContain(shown)
      expect(page.text).toContain(`<style>${accent}</style>`)
      const digest = createHash('sha256').update(accent).digest('base64')
      expect(policyOf(page)).toMatch(
        /^default-src 'none'; style-src 'sha256-\S+' 'sha256-\S+'; img-src 'self'; /,
      )
      expect(policyOf(page)).toContain(`'sha256-${digest}'`)
      for (const [, address = ''] of header.matchAll(/src="([^"]+)"/g))
        expect((await fetch(world.url + address)).status, address).toBe(200)
    }
    const account = headerOf(await consenting.get('/account'))
    expect(account).toContain(server)
    expect(account).not.toContain('Tide')
  })

  test('a page names no server that the project cannot use, and has no header where neither is known', async () => {
    const header = headerOf(await browser().get(authorizePath(other.id)))
    expect(header).toContain('Plain')
    expect(header).not.toContain(server)
    const unknown = await browser().get(authorizePath('01932f6e-8f4a-7cc0-9b1d-3a5f8e7d6c4b'))
    expect(unknown.text).toContain('<main>')
    expect(headerOf(unknown)).toBe('')
    expect(policyOf(unknown)).not.toContain('img-src')
  })
})
