import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { atPlatform, Browser, givenAdmin, givenProject, givenSession } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { authPath, givenClient, walk } from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

describe.each(mainEngines)('the redirect of a refused login, on %s', (engine) => {
  const world = worldForTests(engine)
  const project = madeForTests(() => givenClient(world, { isInternal: false }))
  beforeAll(async () => {
    await givenSession(world, await givenProject(world), demo.users.tomas)
    const blocked = await call(world.url, 'PUT', `/api/admin/members/${demo.users.tomas}/block`, {
      token: await givenAdmin(world),
      body: { reason: 'Spam' },
    })
    expect(blocked.status).toBeLessThan(300)
  })

  const parameters = (search: URLSearchParams) =>
    Object.fromEntries(['error', 'error_reason', 'state', 'iss'].map((name) => [name, search.get(name)]))
  const refused = (error: string, reason: string | null) => ({
    ...{ error, error_reason: reason, state: 'a-state', iss: world.url },
  })

  test.each([
    ['not_a_member', { as: demo.users.emil }],
    ['blocked', { as: demo.users.tomas }],
    ['declined', { cancel: true }],
    ['declined', { decision: 'deny' as const }],
  ])('has the error_reason %s', async (reason, who) => {
    const end = await walk(world, authPath(project), who)
    expect(parameters(end.searchParams)).toEqual(refused('access_denied', reason))
    expect(end.searchParams.get('error_description')).toMatch(/\w+ \w+/)
    const inFragment = await walk(world, authPath(project, { response_mode: 'fragment' }), who)
    expect(parameters(new URLSearchParams(inFragment.hash.slice(1)))).toEqual(
      refused('access_denied', reason),
    )
    expect(inFragment.search).toBe('')
  })

  test('has it by form_post, too', async () => {
    const browser = new Browser(world.url)
    const on = async (path: string) => (await browser.get(path)).headers.get('location') ?? ''
    const step = await on(authPath(project, { response_mode: 'form_post' }))
    const back = await atPlatform(await on(step.replace(world.url, '')), { cancel: true })
    const returned = await on(back)
    const page = await browser.get(returned.replace(world.url, ''))
    expect(page.text).toContain('<input type="hidden" name="error_reason" value="declined"/>')
    expect(page.text).toContain('name="error" value="access_denied"')
  })

  test('has it where single sign-on is refused, and not where the library refuses the request', async () => {
    const who = { browser: new Browser(world.url), as: demo.users.joon }
    await walk(world, authPath(project), who)
    world.sim.world.removeMember(demo.mainGuildId, demo.users.joon)
    const gone = await walk(world, authPath(project), who)
    expect(parameters(gone.searchParams)).toEqual(refused('access_denied', 'not_a_member'))
    const none = await walk(world, authPath(project, { prompt: 'none' }))
    expect(parameters(none.searchParams)).toEqual(refused('login_required', null))
  })

  test('a project without OpenID Connect gets a page that says what to turn on', async () => {
    const other = await givenProject(world)
    const page = await new Browser(world.url).get(authPath({ ...project, id: other.id }), {
      accept: 'text/html',
    })
    expect(page.status).toBe(400)
    expect(page.text).toContain(
      'has this client_id. Check the client ID, and turn on OpenID Connect in the project.',
    )
  })
})
