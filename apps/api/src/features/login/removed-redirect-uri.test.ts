import { demo } from '@rolecall/chat-sim'
import { afterEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import {
  atPlatform,
  authorizePath,
  Browser,
  countRows,
  type GivenProject,
  givenProject,
  openLogin,
} from '../../../test/given.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'

const { users } = demo
const html = { accept: 'text/html' }

describe.each(mainEngines)(
  'a redirect URI that is removed while the browser is at the platform, on %s',
  (engine) => {
    const world = worldForTests(engine)
    let project: GivenProject
    const admin = adminForTests(world)
    afterEach(() => world.sim.clearFaults())

    /** A browser that has just come from the platform, and the path that it is about to open. */
    const returning = async (how: Parameters<typeof atPlatform>[1] = {}) => {
      project = await givenProject(world)
      const browser = new Browser(world.url)
      const back = await atPlatform(await openLogin(browser, authorizePath(project.id)), how)
      return { browser, back }
    }
    const change = async (path: string, body: unknown) => {
      const reply = await call(world.url, 'PATCH', `/api/admin/projects/${project.id}${path}`, {
        ...admin,
        body,
      })
      expect(reply.status, reply.text).toBe(200)
    }
    const remove = () => change('/redirect-uri', { redirectUri: 'https://new.example/callback' })

    const endings: [string, Parameters<typeof atPlatform>[1], () => void][] = [
      ['a login that succeeds', {}, () => {}],
      ['a login that the person declines', { cancel: true }, () => {}],
      ['a login of an account that is not a member', { as: users.emil }, () => {}],
      [
        'a login while the platform is down',
        {},
        () => world.sim.failNext('token', { status: 500 }, { times: 9 }),
      ],
    ]
    test.each(endings)('gets a page and never the browser after %s', async (_, how, prepare) => {
      const { browser, back } = await returning(how)
      await remove()
      prepare()
      const codes = await countRows(world, 'authorization_codes')
      const page = await browser.get(back, html)
      expect([page.status, page.headers.get('location')]).toEqual([403, null])
      expect(page.headers.get('content-type')).toContain('text/html')
      expect(page.text).toContain('https://site.example/callback')
      expect(page.text).not.toMatch(/href="https:\/\/site\.example/)
      expect(await countRows(world, 'authorization_codes')).toBe(codes)
    })

    test('is named in a problem where JSON is asked for', async () => {
      const { browser, back } = await returning()
      await remove()
      expect((await browser.get(back)).body).toMatchObject({ status: 403, code: 'REDIRECT_URI_NOT_ALLOWED' })
    })

    test('a project that is deleted meanwhile gets a page, too', async () => {
      const { browser, back } = await returning()
      await call(world.url, 'DELETE', `/api/admin/projects/${project.id}`, admin)
      const page = await browser.get(back, html)
      expect([page.status, page.headers.get('location')]).toEqual([400, null])
    })

    test('a project that is switched off meanwhile is told by its own address, which is still its own', async () => {
      const { browser, back } = await returning()
      await change('', { isActive: false })
      const { searchParams, origin } = new URL((await browser.get(back)).headers.get('location') ?? '')
      expect([origin, searchParams.get('error')]).toEqual(['https://site.example', 'access_denied'])
    })
  },
)
