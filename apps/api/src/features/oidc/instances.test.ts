import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { type GivenProject, givenAdmin } from '../../../test/given.ts'
import { basic, givenClient, introspect, logIn, postForm, type Tokens, userinfo } from '../../../test/oidc.ts'
import type { Service } from '../../../test/service.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

interface Given {
  readonly project: GivenProject
  readonly tokens: Tokens
}

/** Everything that ends a session, and the responses of every instance to its tokens from then on. */
describe.each(mainEngines)('tokens on several instances, on %s', (engine) => {
  let instances: Service[]
  let admin: string
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  beforeAll(async () => {
    instances = [world.service]
    if (engine === 'postgres') instances.push(await world.another(), await world.another())
    admin = await givenAdmin(world)
  })

  const everywhere = async ({ tokens }: Given) =>
    (await Promise.all(instances.map((one) => userinfo(one, tokens.access_token)))).map(
      ({ status }) => status,
    )
  /** Introspects tokens on every instance. A client that can no longer authenticate gets an error instead. */
  const activeAt = async ({ project, tokens }: Given): Promise<unknown[]> =>
    (await Promise.all(instances.map((one) => introspect(one, project, tokens.access_token)))).map(
      ({ body }) => body.active,
    )
  /** Returns the statements about tokens and clients that any instance sends meanwhile. */
  const statementsOf = async (ask: () => Promise<unknown>) => {
    const noted: string[] = []
    await instances.reduce<() => Promise<unknown>>(
      (inner, one) => async () => {
        noted.push(...(await one.statementsOf(inner)))
      },
      ask,
    )()
    return noted.filter((text) => text.includes('oidc_'))
  }
  const asAdmin = (method: string, path: string, body?: object) =>
    call(world.url, method, `/api/admin${path}`, { token: admin, ...(body && { body }) })

  test.each<[string, (given: Given) => Promise<unknown>]>([
    [
      'logout-all of the project',
      ({ project }) =>
        call(world.url, 'POST', '/api/auth/logout-all', {
          key: project.key,
          body: { memberId: demo.users.ada },
        }),
    ],
    [
      'the client’s own revocation',
      ({ project, tokens }) =>
        postForm(world.url, '/oidc/revoke', { token: tokens.access_token }, basic(project)),
    ],
    [
      'its logout',
      ({ tokens }) => call(world.url, 'GET', `/oidc/session/end?id_token_hint=${tokens.id_token}`),
    ],
    [
      'deactivating the project',
      ({ project }) => asAdmin('PATCH', `/projects/${project.id}`, { isActive: false }),
    ],
    ['deleting the project', ({ project }) => asAdmin('DELETE', `/projects/${project.id}`)],
    ['revoking its key', ({ project }) => asAdmin('DELETE', `/projects/${project.id}/key`)],
    [
      'switching the client off',
      ({ project }) => asAdmin('PATCH', `/projects/${project.id}`, { oidc: { enabled: false } }),
    ],
    [
      'the member leaving',
      async () => {
        const gone = { id: demo.users.ada }
        await world.service.deps.mirrorMember(demo.mainGuildId, gone, undefined, new Date(Date.now() + 1_000))
      },
    ],
  ])('%s ends them for the next request, on every instance', async (_, end) => {
    const project = await givenClient(world)
    const given = { project, tokens: await logIn(world, project) }
    expect(await everywhere(given)).toEqual(instances.map(() => 200))
    expect(await activeAt(given)).toEqual(instances.map(() => true))
    // On a busy machine an invalidation is sent again, and then drops what was loaded after the first.
    await expect.poll(() => statementsOf(() => everywhere(given))).toEqual([])
    await expect.poll(() => statementsOf(() => activeAt(given))).toEqual([])
    await end(given)
    expect(await everywhere(given)).toEqual(instances.map(() => 401))
    expect((await activeAt(given)).includes(true)).toBe(false)
  })
})
