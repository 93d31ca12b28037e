import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { call } from '../../../test/client.ts'
import { engines } from '../../../test/databases.ts'
import { authorizePath, Browser, type GivenProject, redirectUri, walkLogin } from '../../../test/given.ts'
import { authPath, clientUri, givenClient, walk } from '../../../test/oidc.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'

const { ada } = demo.users

describe.each(engines)('sign-outs during a sign-in by single sign-on, on %s', (engine) => {
  const world = worldForTests(engine, { RATE_LIMIT_GLOBAL: '0' })
  const admin = adminForTests(world)
  let project: GivenProject
  beforeAll(async () => {
    project = await givenClient(world, { redirectUris: [clientUri, redirectUri] })
  })

  const signOuts: Record<string, () => Promise<{ status: number }>> = {
    'by an administrator': () =>
      call(world.url, 'DELETE', `/api/admin/members/${ada}/sessions`, { ...admin }),
    'by the project': () =>
      call(world.url, 'POST', '/api/auth/logout-all', { key: project.key, body: { memberId: ada } }),
  }
  const signIns: Record<string, (browser: Browser) => Promise<URL>> = {
    'OpenID Connect': (browser) => walk(world, authPath(project, { prompt: 'none' }), { browser }),
    'the authorize endpoint': (browser) =>
      walkLogin(
        world,
        authorizePath(project.id, { prompt: 'none' }).replace('/authorize', '/sso/authorize'),
        { browser },
      ),
  }
  const cases = Object.keys(signOuts).flatMap((by) => Object.keys(signIns).map((at) => [by, at] as const))

  test.each(cases)('%s end the sign-in at %s, too', async (by, at) => {
    const browser = new Browser(world.url)
    await walk(world, authPath(project), { browser })
    const signIn = () => signIns[at]?.(browser) as Promise<URL>
    expect((await signIn()).searchParams.get('code')).toMatch(/./)
    // The single sign-on was used, and Discord is asked for the membership.
    const { chat } = world.service.deps
    const { member } = chat
    const statuses: (number | undefined)[] = []
    vi.spyOn(chat, 'member').mockImplementationOnce(async (...terms) => {
      statuses.push((await signOuts[by]?.())?.status)
      return member(...terms)
    })
    const { searchParams } = await signIn()
    expect(statuses).toEqual([by === 'by the project' ? 200 : 204])
    expect([searchParams.get('code'), searchParams.get('error')]).toEqual([null, 'login_required'])
  })
})
