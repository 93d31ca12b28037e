import { demo } from '@rolecall/chat-sim'
import { beforeAll, expect, test } from 'vitest'
import {
  ask,
  authorizePath,
  Browser,
  describeWithMembers,
  givenProject,
  logInAsAdmin,
  type Project,
  redirectUri,
} from './service.ts'

describeWithMembers('a login', () => {
  let admin: string
  let project: Project
  beforeAll(async () => {
    admin = await logInAsAdmin()
    project = await givenProject(admin)
  })

  test('GET /api/auth/authorize: 302 to the chat platform’s screen, with the cookie svc_auth_req', async () => {
    const answer = await ask('GET', authorizePath(project.id))
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toMatch(/\/oauth2\/authorize\?/)
    expect(answer.headers.getSetCookie()).toContainEqual(
      expect.stringMatching(/^svc_auth_req=[^;]+;.*HttpOnly/i),
    )
  })

  test('GET /api/auth/chat: 302 to that screen again, in the browser that began', async () => {
    const browser = new Browser()
    await browser.open(authorizePath(project.id))
    const again = await browser.open('/api/auth/chat')
    expect(again.status).toBe(302)
    expect(again.headers.get('location')).toMatch(/\/oauth2\/authorize\?/)
    const end = await browser.open(await browser.agreeAtPlatform(again, demo.users.ada))
    expect(end.headers.get('location')).toContain('code=rcc_')
  })

  test('ends at the redirect URI with a one-time code and the project’s own state', async () => {
    const end = await new Browser().logIn(authorizePath(project.id), demo.users.ada)
    expect(end.href).toMatch(/^https:\/\/site\.example\/callback\?keep=1&/)
    expect(end.searchParams.get('code')).toMatch(/^rcc_/)
    expect(end.searchParams.get('state')).toBe('state of the project')
  })

  test('403 where redirect_uri is not exactly a listed one, and no redirect there', async () => {
    for (const other of [`${redirectUri}&x=1`, 'https://site.example/callback', 'https://evil.example/']) {
      const { status, body, headers } = await ask('GET', authorizePath(project.id, { redirect_uri: other }))
      expect([status, body.code, headers.get('location')]).toEqual([403, 'REDIRECT_URI_NOT_ALLOWED', null])
    }
  })

  test('403 where the project is inactive', async () => {
    const inactive = await givenProject(admin, { isActive: false })
    const { status, body } = await ask('GET', authorizePath(inactive.id))
    expect([status, body.code]).toEqual([403, 'PROJECT_INACTIVE'])
  })

  test('403 where the project may not use the server; an internal one has the main server by itself', async () => {
    const none = await givenProject(admin, { serverAccess: [] })
    const { status, body } = await ask('GET', authorizePath(none.id))
    expect([status, body.code]).toEqual([403, 'SERVER_NOT_ACCESSIBLE'])
    const internal = await givenProject(admin, { serverAccess: [], isInternal: true })
    expect((await ask('GET', authorizePath(internal.id))).status).toBe(302)
  })

  test('of who is not in the server, or declines, ends at the redirect URI with access_denied', async () => {
    const stranger = await new Browser().logIn(authorizePath(project.id), demo.users.emil)
    expect(stranger.searchParams.get('error')).toBe('access_denied')
    const declined = await new Browser().logIn(authorizePath(project.id), demo.users.ada, true)
    expect(declined.searchParams.get('error')).toBe('access_denied')
    for (const end of [stranger, declined]) expect(end.searchParams.has('code')).toBe(false)
  })

  test('by single sign-on passes the screen of the platform; authorize always shows it', async () => {
    const browser = new Browser()
    await browser.logIn(authorizePath(project.id), demo.users.ada)
    expect(browser.cookies.has('svc_sso')).toBe(true)
    const sso = await browser.open(authorizePath(project.id).replace('/auth/', '/auth/sso/'))
    expect(sso.headers.get('location')).toMatch(/^https:\/\/site\.example\/callback\?keep=1&.*code=rcc_/)
    const again = await browser.open(authorizePath(project.id))
    expect(again.headers.get('location')).toMatch(/\/oauth2\/authorize\?/)
  })

  test('to the administration is refused with 403 to who lacks the admin role', async () => {
    const browser = new Browser()
    const start = await browser.open('/api/auth/admin/login?return_to=/console/')
    const end = await browser.open(await browser.agreeAtPlatform(start, demo.users.ada))
    expect([end.status, end.body.code]).toEqual([403, 'NOT_SYSTEM_ADMIN'])
  })
})
