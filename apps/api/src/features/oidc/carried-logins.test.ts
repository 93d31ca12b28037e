import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { atPlatform, Browser, countRows, type GivenProject, givenAdmin } from '../../../test/given.ts'
import { authPath, givenClient, logIn, postForm, walk } from '../../../test/oidc.ts'
import { startWorld } from '../../../test/service.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const { users } = demo

describe.each(mainEngines)('a login of OpenID Connect on %s', (engine) => {
  let project: GivenProject
  const world = worldForTests(engine)
  beforeAll(async () => {
    project = await givenClient(world)
  })

  const pathOf = (reply: { headers: Headers }) => {
    const { pathname, search } = new URL(reply.headers.get('location') ?? '', world.url)
    return pathname + search
  }
  /**
   * Returns a browser that has signed in at the platform, and has yet to open the address that continues the request.
   */
  async function parked(as: string, cancel = false) {
    const browser = new Browser(world.url)
    const step = pathOf(await browser.get(authPath(project)))
    const platform = (await browser.get(step)).headers.get('location') ?? ''
    const resume = pathOf(await browser.get(await atPlatform(platform, { as, cancel })))
    return { browser, resume }
  }
  /** Continues, and returns the address that the browser is sent to: the client's with a code, or a new sign-in. */
  const goOn = async (browser: Browser, resume: string) =>
    new URL((await browser.get(resume)).headers.get('location') ?? '', world.url)

  test('goes on in the browser that logged in', async () => {
    const { browser, resume } = await parked(users.ada)
    expect((await goOn(browser, resume)).searchParams.get('code')).toBeTruthy()
  })

  test('is of no use to another browser, which brought its cookies to the one that logged in', async () => {
    const { browser, resume } = await parked(users.ada)
    const attacker = new Browser(world.url)
    for (const [name, value] of browser.jar) if (name !== 'svc_sso') attacker.jar.set(name, value)
    const to = await goOn(attacker, resume)
    expect(to.searchParams.get('code')).toBeNull()
    expect(to.pathname).toMatch(/^\/oidc\/interaction\//)
    // It is of no use either to a browser that is signed in as another member.
    const own = new Browser(world.url)
    await walk(world, authPath(project), { browser: own, as: users.yusra })
    const again = await parked(users.ada)
    for (const [name, value] of again.browser.jar) if (name !== 'svc_sso') own.jar.set(name, value)
    expect((await goOn(own, again.resume)).searchParams.get('code')).toBeNull()
  })

  test('begins anew where another member signed in meanwhile, and never by a page of the library', async () => {
    const { browser, resume } = await parked(users.ada)
    // The other sign-in happens in another tab. A real browser stores the cookies of each step by its path.
    const ofStep = [...browser.jar].filter(([name]) => /^svc_oidc_/.test(name))
    await walk(world, authPath(project, { prompt: 'login' }), { browser, as: users.yusra })
    for (const [name, value] of ofStep) browser.jar.set(name, value)
    const reply = await browser.get(resume)
    expect([reply.status, reply.headers.get('location')]).toEqual([
      303,
      expect.stringContaining('/oidc/interaction/'),
    ])
    expect(reply.text).not.toContain('Submitting Callback')
    const again = (await browser.get(pathOf(reply))).headers.get('location') ?? ''
    const onwards = pathOf(await browser.get(await atPlatform(again, { as: users.ada })))
    expect((await goOn(browser, onwards)).searchParams.get('code')).toBeTruthy()
  })

  test('takes no consent from another member who signed in after the page was shown', async () => {
    const external = await givenClient(world, { isInternal: false })
    const browser = new Browser(world.url)
    await walk(world, authPath(project), { browser, as: users.ada })
    const page = pathOf(await browser.get(authPath(external)))
    expect((await browser.get(page)).status).toBe(200)
    // Only the single sign-on changes, as by a sign-in without OpenID Connect, of which the library does not know.
    const other = new Browser(world.url)
    await walk(world, authPath(project), { browser: other, as: users.yusra })
    browser.jar.set('svc_sso', other.jar.get('svc_sso') ?? '')
    const sent = { cookie: browser.cookie, origin: world.url }
    const reply = await postForm(world.url, page, { decision: 'allow' }, sent)
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
    expect(await countRows(world, `oidc_consents where project_id = '${external.id}'`)).toBe(0)
  })

  test('ends in a page where its redirect URI was removed meanwhile, also when the person declined', async () => {
    for (const cancel of [false, true]) {
      project = await givenClient(world)
      const { browser, resume } = await parked(users.ada, cancel)
      await call(world.url, 'PATCH', `/api/admin/projects/${project.id}/redirect-uri`, {
        token: await givenAdmin(world),
        body: { redirectUri: 'https://new.example/callback' },
      })
      const reply = await browser.get(resume, { accept: 'text/html' })
      expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
      expect(reply.text).toContain('https://wiki.example/oidc/callback')
    }
    project = await givenClient(world)
  })

  test('does not outlive a logout from everywhere, of the single sign-on, or a block', async () => {
    const ends = {
      'logout-all': () =>
        call(world.url, 'POST', '/api/auth/logout-all', { key: project.key, body: { memberId: users.ada } }),
      sso: () => world.service.deps.db.execute(sql`delete from sso_sessions where member_id = ${users.ada}`),
      block: async () => {
        const { db } = world.service.deps
        await db.execute(sql`
          insert into member_blocks (member_id, reason, until) values (${users.ada}, 'A test', clock_now())`)
        await db.execute(sql`update member_blocks set until = clock_now()`)
      },
    }
    for (const [name, end] of Object.entries(ends)) {
      const { browser, resume } = await parked(users.ada)
      await end()
      expect((await goOn(browser, resume)).searchParams.get('code'), name).toBeNull()
    }
  })

  test('with `openid` alone asks for consent once, and then lets in', async () => {
    const external = await givenClient(world, { isInternal: false, serverIds: [demo.mainGuildId] })
    for (const _ of [1, 2, 3]) {
      const tokens = await logIn(world, external, { scope: 'openid', as: users.mara })
      expect(tokens.id_token).toBeTruthy()
    }
  })

  test('is for a server that is registered here', async () => {
    const reply = await call(world.url, 'PATCH', `/api/admin/projects/${project.id}`, {
      token: await givenAdmin(world),
      body: { oidc: { serverId: '111111111111111111' } },
    })
    expect(reply.body.errors).toContainEqual(expect.objectContaining({ path: '/oidc/serverId' }))
  })
})

test('behind https no other site can write the cookies of a login', async () => {
  const url = 'https://rolecall.example'
  const world = await startWorld('pglite', { PUBLIC_URL: url })
  const project = await givenClient(world)
  const browser = new Browser(world.url)
  const asked = await browser.get(authPath(project))
  const begun = asked.headers.getSetCookie()
  expect(begun.filter((line) => line.startsWith('__Secure-svc_oidc_step=')).length).toBe(1)
  expect(begun.filter((line) => !/; secure/i.test(line) || !line.startsWith('__Secure-'))).toEqual([])
  const end = await walk({ sim: world.sim, url }, authPath(project), { browser })
  expect(end.searchParams.get('code')).toBeTruthy()
  const names = [...browser.jar.keys()].filter((name) => name.includes('oidc'))
  expect(names).toContain('__Host-svc_oidc')
  expect(names.filter((name) => !/^__(Host|Secure)-/.test(name))).toEqual([])
  await world.close()
})
