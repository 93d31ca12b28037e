import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  atPlatform,
  authorizePath,
  Browser,
  countRows,
  type GivenProject,
  givenProject,
  openLogin,
} from '../../../test/given.ts'
import type { Service } from '../../../test/service.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

/** Outside production, a missing client secret is a warning at the start: it disables sign-ins and nothing else. */
describe.each(['CHAT_CLIENT_SECRET', 'CHAT_CLIENT_ID'])('without %s', (variable) => {
  let without: Service
  let project: GivenProject
  const world = worldForTests('postgres')
  beforeAll(async () => {
    without = await world.another({ [variable]: '' })
    project = await givenProject(world)
  })

  const login = () => authorizePath(project.id)
  const ways = (): [string, string][] => [
    ['authorize', login()],
    ['sso', login().replace('/authorize?', '/sso/authorize?')],
    ['admin', '/api/auth/admin/login?return_to=/'],
  ]

  test('a login is refused before it begins, in words for its reader, and leaves nothing', async () => {
    for (const [way, path] of ways()) {
      const reply = await new Browser(without.url).get(path)
      expect([way, reply.status, reply.body.code]).toEqual([way, 503, 'LOGIN_NOT_CONFIGURED'])
      expect(reply.body.detail).toContain('CHAT_CLIENT_SECRET')
      expect(reply.headers.get('retry-after')).toBe('60')
      expect(reply.headers.get('set-cookie')).toBeNull()
      const page = await new Browser(without.url).get(path, { accept: 'text/html' })
      expect(page.text).toContain('<h1>Sign-in is not set up yet</h1>')
    }
    expect(await countRows(world, 'auth_requests')).toBe(0)
  })

  test('one that began before ends as server_error at its project; the log names the variable', async () => {
    const browser = new Browser(world.url)
    const back = await atPlatform(await openLogin(browser, login()))
    const end = new Browser(without.url)
    for (const [name, value] of browser.jar) end.jar.set(name, value)
    const { status, headers } = await end.get(back)
    const location = new URL(headers.get('location') ?? 'none:')
    expect([status, location.searchParams.get('error')]).toEqual([302, 'server_error'])
    expect(
      without.logs.lines.filter((line) => line.includes(`A sign-in requires ${variable}, which is not set`)),
    ).not.toEqual([])
    expect(await countRows(world, 'authorization_codes')).toBe(0)
  })

  test('the process stays up: it answers, and another login elsewhere completes', async () => {
    expect((await new Browser(without.url).get('/api/health/ready')).status).toBe(200)
    const browser = new Browser(world.url)
    const back = await atPlatform(await openLogin(browser, login()), { as: demo.users.ada })
    expect((await browser.get(back)).headers.get('location')).toContain('code=rcc_')
  })
})

describe('with a wrong CHAT_CLIENT_SECRET', () => {
  const world = worldForTests('postgres')

  test.each(['/api/auth/admin/login', '/account'])(
    'the page of a refused sign-in at %s does not say that Discord is down; the log names the variables',
    async (path) => {
      const { url, logs } = await world.another({ CHAT_CLIENT_SECRET: 'wrong' })
      const browser = new Browser(url)
      const back = await atPlatform(await openLogin(browser, path), { as: demo.users.mara })
      const page = await browser.get(back, { accept: 'text/html' })
      expect(page.status).toBe(503)
      expect(page.text).toContain('<h1>Sign-in does not work right now</h1>')
      expect(page.text).toContain('ask the operator to run rolecall doctor.')
      const told = logs.lines.filter((line) => line.includes('sign-ins fail: Discord rejects requests'))
      expect(told).toEqual([
        expect.stringContaining('Discord rejects CHAT_CLIENT_ID and CHAT_CLIENT_SECRET with status 401.'),
      ])
    },
  )
})
