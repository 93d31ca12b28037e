import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { browserForTests } from '../../../test/browser-for-tests.ts'
import { atPlatform, authorizePath, Browser, givenProject, openLogin } from '../../../test/given.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

/** The folder for screenshots, if you want any. */
const pictures = process.env['SCREENSHOTS']
const name = 'Sea <b>Charts</b>'
const redirectUri = 'https://charts.example/deep/callback?x=1'

const world = worldForTests('pglite')
const chrome = browserForTests()
let projectId: string
let inactiveId: string
beforeAll(async () => {
  projectId = (await givenProject(world, { name, redirectUris: [redirectUri, 'com.example.app:/cb'] })).id
  const inactive = { name: 'Old Charts', redirectUris: [redirectUri], isActive: false }
  inactiveId = (await givenProject(world, inactive)).id
})

const path = (more: Record<string, string> = {}) =>
  authorizePath(projectId, { redirect_uri: redirectUri, ...more })
const elsewhere = demo.gamesGuildId

/** Refusals that end at a page of the service. */
const refused: Record<string, () => string> = {
  'damaged-link': () => path({ client_id: 'x', server_id: '1' }),
  'unknown-site': () => path({ client_id: '01890000-0000-7000-8000-000000000000' }),
  'inactive-site': () => path({ client_id: inactiveId }),
  'unsafe-link': () => path({ redirect_uri: 'https://evil.example/' }),
  'no-server': () => path({ server_id: elsewhere }),
  'login-over': () => '/api/auth/callback?state=made-up&code=x',
}

/** Refusals after a person returns from the platform. */
const refusedAtTheEnd: Record<string, { as: string; auto?: string; fault?: () => void }> = {
  'not-an-admin': { as: demo.users.ada },
  'not-a-member': { as: demo.users.emil },
  cancelled: { as: demo.users.mara, auto: 'cancel' },
  'platform-down': {
    as: demo.users.mara,
    fault: () => world.sim.failNext('token', { status: 500 }),
  },
}

/** Lists the links of a page, except those that switch its language. */
const linksOf = (text: string) =>
  [...(text.split('<nav', 1)[0] ?? '').matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href]) => href)

describe('a refusal page', () => {
  const read = async (where: string) => {
    const page = await new Browser(world.url).get(where, { accept: 'text/html' })
    return { ...page, links: linksOf(page.text) }
  }

  test.each(Object.keys(refused))(
    '%s says what happened once, and what to do, without patterns',
    async (of) => {
      const { text, status } = await read(refused[of]?.() ?? '')
      expect(status).toBeGreaterThanOrEqual(400)
      const [, heading = ''] = /<h1>(.*)<\/h1>/.exec(text) ?? []
      const body = text.slice(text.indexOf('<body>'))
      expect(body.split(heading)).toHaveLength(2)
      expect(body).toMatch(/<footer>[\s\S]*Request [\w-]+/)
      expect(text).not.toMatch(/\^\[|\\w|\{\d+,\d*\}|pattern|<b>/)
      expect(body.match(/<p>/g)?.length).toBeGreaterThan(3)
    },
  )

  test.each([
    [
      'https://evil.example/?a=1&b=<script>alert(1)</script>',
      'https://evil.example/?a=1&#38;b=&#60;script&#62;',
    ],
    [
      '"><a href="https://evil.example/">Continue</a>',
      '&#34;&#62;&#60;a�href=&#34;https://evil.example/&#34;',
    ],
    ['javascript:alert(document.cookie)', '<p>javascript:alert(document.cookie)</p>'],
    ['https://evil.example/\u202egro.elpmaxe\r\nx', 'https://evil.example/�gro.elpmaxe��x</p>'],
    [`https://evil.example/?key=rck_${'a'.repeat(8)}_${'b'.repeat(43)}`, '<p>https://evil.example/?key='],
    [`https://evil.example/${'x'.repeat(2_000)}`, `<p>https://evil.example/${'x'.repeat(179)}…</p>`],
  ])(
    'an address that is not listed is shown as text, whole or cut, and leads nowhere: %j',
    async (sent, shown) => {
      const { text, links, status } = await read(path({ redirect_uri: sent }))
      expect(status).toBe(403)
      expect(text).toContain(shown)
      expect(links).toEqual([`/console/projects/${projectId}/redirects`])
      expect(text).not.toMatch(/<script|b{43}/)
    },
  )

  test('of a damaged link names the wrong parameters, and contains no advice for programs', async () => {
    const { text } = await read(refused['damaged-link']?.() ?? '')
    expect(text).toContain('client_id, server_id.')
    expect(text).not.toContain('errors')
  })

  test.each([
    ['is missing', () => path().replace(/&state=[^&]*/, ''), 'state is required.'],
    ['is repeated', () => `${path()}&state=another`, 'state must not be repeated.'],
    ['is unknown', () => path({ prompt_: 'x' }), 'prompt_ is not a known key.'],
    ['has another form', () => path({ code_challenge: 'x' }), 'code_challenge must be 43 characters'],
  ])('says, for the people who run the site, that a parameter %s', async (_, sent, problem) => {
    const { text } = await read(sent())
    expect(text.split('<footer>')[1]).toContain(problem)
  })

  test.each(Object.keys(refused))('%s has no marks of code in its technical details', async (of) => {
    expect((await read(refused[of]?.() ?? '')).text.split('<footer>')[1]).not.toContain('`')
  })

  test('names the site, and links back only to where a redirect URI of its own leads', async () => {
    const shown = name.replaceAll('<', '&#60;').replaceAll('>', '&#62;')
    const safe = await read(path({ server_id: elsewhere }))
    expect(safe.links).toEqual(['https://charts.example/'])
    expect(safe.text).toContain(`Back to ${shown}</a>`)
    const inactive = await read(path({ client_id: inactiveId }))
    expect(inactive.links).toEqual(['https://charts.example/'])
    const unsafe = await read(path({ redirect_uri: 'https://evil.example/' }))
    expect(unsafe.links).toEqual([`/console/projects/${projectId}/redirects`])
    expect(unsafe.text).toContain(`If you run ${shown}`)
    expect((await read(path({ redirect_uri: 'com.example.app:/cb', server_id: elsewhere }))).links).toEqual(
      [],
    )
  })

  const adminEnd = async (as: string, { cancel = false, path = '/api/auth/admin/login' } = {}) => {
    const browser = new Browser(world.url)
    const back = await atPlatform(await openLogin(browser, path), { as, cancel })
    const page = await browser.get(back, { accept: 'text/html' })
    expect(page.status).toBe(403)
    return page.text
  }

  test('of an admin login leads back to its start, for who used another account and for an outage', async () => {
    const path = '/api/auth/admin/login?return_to=%2F'
    expect(linksOf(await adminEnd(demo.users.ada, { path }))).toEqual([path])
    world.sim.failNext('token', { status: 500 })
    const browser = new Browser(world.url)
    const back = await atPlatform(await openLogin(browser, path), { as: demo.users.mara })
    const down = await browser.get(back, { accept: 'text/html' })
    expect([down.status, linksOf(down.text)]).toEqual([503, [path]])
    world.sim.clearFaults()
  })

  test('who cancelled the admin login is told just that, and starts again where they were going', async () => {
    const returnTo = '/console/projects?page=2&q=a'
    const path = `/api/auth/admin/login?${new URLSearchParams({ return_to: returnTo })}`
    const text = await adminEnd(demo.users.mara, { cancel: true, path })
    expect(text).toContain('<h1>You canceled the sign-in</h1>')
    expect(text).not.toMatch(/admin role|System Admin|for admins/)
    const [, href = ''] = /href="([^"]*)"/.exec(text) ?? []
    const again = new URL(href.replaceAll('&#38;', '&'), world.url)
    expect([again.origin, again.pathname]).toEqual([new URL(world.url).origin, '/api/auth/admin/login'])
    expect([...again.searchParams]).toEqual([['return_to', returnTo]])
    expect((await new Browser(world.url).get(again.pathname + again.search)).status).toBe(302)
  })

  test('a site that is not known: telling its people comes first, and starting again is no advice', async () => {
    const { text } = await read(refused['unknown-site']?.() ?? '')
    expect(text).toContain('Tell the people who run the site. Trying again will not help.')
    expect(text).not.toContain('Go back to')
  })

  test('at the admin login, who is no member and who has no role read different sentences', async () => {
    const said = async (as: string) => /<p>(.*)<\/p>/.exec(await adminEnd(as))?.[1]
    expect(await said(demo.users.emil)).toMatch(/^This account is not a member of the server Harbour Club\./)
    expect(await said(demo.users.ada)).toBe(
      'This account does not have the admin role in the server Harbour Club, and it has nothing else to manage here.',
    )
  })

  test('loads nothing but its own style, which its policy names by digest', async () => {
    const { headers } = await read(path({ server_id: elsewhere }))
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/style-src 'sha256-[\w+/=]{44}'/)
    expect(policy).toContain("base-uri 'none'")
    expect(policy).not.toContain('unsafe')
  })

  test('a program gets JSON with the same status', async () => {
    const reply = await new Browser(world.url).get(path({ server_id: elsewhere }))
    expect([reply.status, reply.body.code]).toEqual([403, 'SERVER_NOT_ACCESSIBLE'])
    expect(reply.body).not.toHaveProperty('site')
  })
})

/**
 * Right for people who never joined, who left, and who were removed or banned: the platform reports the same absence
 * for all.
 */
const notMember =
  'If it has not joined yet, join and sign in again. If it was removed or banned, ask the moderators of the server.'

describe('the error at the redirect URI', () => {
  const end = async (as: string, cancel = false) => {
    const browser = new Browser(world.url)
    const back = await atPlatform(await openLogin(browser, path()), { as, cancel })
    const location = new URL((await browser.get(back)).headers.get('location') ?? 'none:')
    return [location.searchParams.get('error'), location.searchParams.get('error_description')]
  }

  test('tells declined and no member apart, with the server’s name', async () => {
    expect(await end(demo.users.ada, true)).toEqual(['access_denied', 'The sign-in was declined.'])
    expect(await end(demo.users.emil)).toEqual([
      'access_denied',
      `This account is not a member of Harbour Club. ${notMember}`,
    ])
  })

  test('tells a banned member what is right for them, and nothing that is not for who never joined', async () => {
    expect(await end(demo.users.viktor)).toEqual(await end(demo.users.emil))
    expect(await end(demo.users.viktor)).toEqual([
      'access_denied',
      expect.stringContaining('If it was removed or banned, ask the moderators of the server.'),
    ])
  })

  // RFC 6749 §4.1.2.1 allows printable ASCII without quote and backslash.
  test.each(['Häfen', 'The "Club"', 'back\\slash', 'a\nb', '⚓'])(
    'leaves out the name %j',
    async (server) => {
      const { db } = world.service.deps
      await db.execute(sql`update servers set name = ${server} where id = ${demo.mainGuildId}`)
      const [, description] = await end(demo.users.emil)
      await db.execute(sql`update servers set name = 'Harbour Club' where id = ${demo.mainGuildId}`)
      expect(description).toBe(`This account is not a member of the server. ${notMember}`)
    },
  )
})

const looks = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
)

test.each(looks)(
  'at $width px, $colorScheme: complains of nothing, is styled, fits, and its link is reached by keyboard',
  async ({ width, colorScheme }) => {
    const page = await chrome.newPage({ viewport: { width, height: 800 }, colorScheme })
    const complaints: string[] = []
    page.on('console', (message) => {
      // The browser reports the status itself as a network error.
      if (!/status of (40|50)\d/.test(message.text())) complaints.push(message.text())
    })
    const ways: [string, () => Promise<unknown>][] = [
      ...Object.entries(refused).map(([of, where]): [string, () => Promise<unknown>] => [
        of,
        () => page.goto(world.url + where()),
      ]),
      ...Object.entries(refusedAtTheEnd).map(
        ([of, { as, auto = '1', fault }]): [string, () => Promise<unknown>] => [
          of,
          async () => {
            await page.goto(`${world.url}/api/auth/admin/login?return_to=/`)
            fault?.()
            await page.goto(`${page.url()}&login_as=${as}&auto=${auto}`)
          },
        ],
      ),
    ]
    for (const [of, open] of ways) {
      await open()
      expect(new URL(page.url()).origin, of).toBe(world.url)
      expect(await page.locator('h1').count(), of).toBe(1)
      expect(await page.title(), of).toBe(await page.locator('h1').innerText())
      const { overflow, family } = await page.evaluate(() => ({
        overflow: document.documentElement.scrollWidth - window.innerWidth,
        family: getComputedStyle(document.body).fontFamily,
      }))
      expect({ of, overflow, family }).toEqual({ of, overflow: 0, family: 'system-ui, sans-serif' })
      if (pictures) {
        mkdirSync(pictures, { recursive: true })
        await page.screenshot({ path: join(pictures, `${of}-${width}-${colorScheme}.png`) })
      }
    }
    await page.goto(world.url + path({ server_id: elsewhere }))
    await page.keyboard.press('Tab')
    const focused = () => {
      const link = document.activeElement as HTMLAnchorElement
      const { outlineStyle, outlineWidth } = getComputedStyle(link)
      return { href: link.getAttribute('href'), outline: `${outlineStyle} ${outlineWidth}` }
    }
    expect(await page.evaluate(focused)).toEqual({ href: 'https://charts.example/', outline: 'solid 2px' })
    if (pictures) await page.screenshot({ path: join(pictures, `focused-${width}-${colorScheme}.png`) })
    expect(complaints).toEqual([])
    await page.close()
  },
)
