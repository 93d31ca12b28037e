import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { call } from '../../../test/client.ts'
import { engines } from '../../../test/databases.ts'
import {
  authorizePath,
  Browser,
  exchange,
  type GivenProject,
  givenProject,
  redirectUri,
  walkLogin,
} from '../../../test/given.ts'
import { countLockWaits } from '../../../test/lock-waits.ts'
import { authPath, clientUri, givenClient, walk } from '../../../test/oidc.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const { ada } = demo.users

const postgres = worldForTests('postgres')
const postgresAdmin = adminForTests(postgres)

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

// PGlite has one connection: no sign-in can wait for a row while others continue.
test('a sign-out waits for a sign-in that single sign-on has begun to complete, and voids its code', async () => {
  const project = await givenProject(postgres)
  const browser = new Browser(postgres.url)
  await walkLogin(postgres, authorizePath(project.id), { browser })
  const { db } = postgres.service.deps
  const waiting = () => countLockWaits(db)
  const silent = authorizePath(project.id, { prompt: 'none' }).replace('/authorize', '/sso/authorize')
  const [signIn, signOut] = await db.transaction(async (tx) => {
    // The code refers to the project, so the sign-in waits after it has used the single sign-on.
    await tx.query(sql`select from projects where id = ${project.id} for update`)
    const begun = walkLogin(postgres, silent, { browser })
    await expect.poll(waiting).toBeGreaterThan(0)
    let isSignedOut = false
    const ended = call(postgres.url, 'DELETE', `/api/admin/members/${ada}/sessions`, { ...postgresAdmin })
    void ended.then(() => {
      isSignedOut = true
    })
    await expect.poll(async () => isSignedOut || (await waiting()) === 2).toBe(true)
    return [begun, ended]
  })
  expect((await signOut).status).toBe(204)
  const code = (await signIn).searchParams.get('code') ?? ''
  expect((await exchange(postgres, project, code)).body.code).toBe('INVALID_CODE')
})
