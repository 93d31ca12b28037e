import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { Browser, givenAdmin } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import {
  authPath,
  claimsOf,
  clientUri,
  givenClient,
  introspect,
  logIn,
  pkce,
  redeem,
  refresh,
  userinfo,
  walk,
} from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

describe.each(mainEngines)('OpenID Connect on %s', (engine) => {
  const world = worldForTests(engine)
  const project = madeForTests(() => givenClient(world))

  test('a browser logs in at the platform and comes back with a code, the state and the issuer', async () => {
    const end = await walk(world, authPath(project))
    expect(end.href.startsWith(clientUri)).toBe(true)
    expect([...end.searchParams.keys()].sort()).toEqual(['code', 'iss', 'state'])
    expect(end.searchParams.get('iss')).toBe(world.url)
    expect(end.searchParams.get('state')).toBe('a-state')
  })

  test('the code is redeemed for tokens, and userinfo says who holds them and which roles they hold', async () => {
    const tokens = await logIn(world, project)
    const about = await userinfo(world, tokens.access_token)
    expect(about.status).toBe(200)
    expect(about.body).toMatchObject({
      sub: demo.users.ada,
      preferred_username: 'ada.osei',
      server_id: demo.mainGuildId,
      roles: expect.any(Array),
    })
    expect(about.body.groups).toEqual(about.body.roles)
    const id = claimsOf(tokens.id_token)
    expect(id).toMatchObject({ iss: world.url, aud: project.id, sub: demo.users.ada, nonce: 'a-nonce' })
    expect(id.preferred_username).toBe('ada.osei')
    expect(id.sid).toMatch(/^[0-9a-f-]{36}$/)
    expect(id).not.toHaveProperty('roles')
    expect(tokens.refresh_token).toMatch(/^rcf_/)
  })

  test('claims that software reads come by their scopes, and an e-mail address only if it is verified', async () => {
    const about = async (as: string) =>
      (await userinfo(world, (await logIn(world, project, { as })).access_token)).body
    expect(await about(demo.users.ada)).toMatchObject({
      ...{ name: 'Ada (first mate)', nickname: 'Ada (first mate)', preferred_username: 'ada.osei' },
      ...{ picture: expect.stringMatching(/^https?:/), updated_at: expect.any(Number) },
      ...{ email: expect.stringContaining('@'), email_verified: true },
    })
    const unverified = await about(demo.users.kenji)
    expect(unverified).toMatchObject({ name: expect.any(String), picture: expect.any(String) })
    expect(unverified).not.toHaveProperty('email')
    expect(unverified).not.toHaveProperty('email_verified')
  })

  test('the login is a session of the project like every other, and its tokens die with it', async () => {
    const tokens = await logIn(world, project)
    const { sid } = claimsOf(tokens.id_token)
    const { db } = world.service.deps
    const row = () =>
      db.maybeOne<{ project: string }>({
        text: 'select project_id as project from live_sessions where id = $1',
        values: [sid],
      })
    expect(await row()).toEqual({ project: project.id })
    const reply = await call(world.url, 'POST', '/api/auth/logout-all', {
      key: project.key,
      body: { memberId: demo.users.ada },
    })
    expect(reply.status).toBe(200)
    expect(await row()).toBeUndefined()
    expect((await userinfo(world, tokens.access_token)).status).toBe(401)
    expect((await introspect(world, project, tokens.access_token)).body).toEqual({ active: false })
    expect((await refresh(world, project, tokens.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('a refresh token is rotated, and a second use after its time of grace ends the session', async () => {
    const first = await logIn(world, project)
    const second = await refresh(world, project, first.refresh_token)
    expect(second.status).toBe(200)
    expect(second.body.refresh_token).not.toBe(first.refresh_token)
    const late = await refresh(world, project, first.refresh_token)
    expect([late.status, late.body.error]).toEqual([400, 'invalid_grant'])
    expect((await userinfo(world, second.body.access_token)).status).toBe(200)
    await world.service.deps.db.execute({
      text: "update oidc_records set consumed_at = consumed_at - interval '31 seconds' where consumed_at is not null",
      values: [],
    })
    expect((await refresh(world, project, first.refresh_token)).status).toBe(400)
    expect((await userinfo(world, second.body.access_token)).status).toBe(401)
  })

  test('a refresh does not extend the session beyond the greatest age', async () => {
    const tokens = await logIn(world, project)
    const { sid } = claimsOf(tokens.id_token)
    const { db } = world.service.deps
    await db.execute(sql`
      update sessions set expires_at = clock_now() + interval '1 hour', max_expires_at = clock_now() + interval '2 hours'
      where id = ${sid}`)
    expect((await refresh(world, project, tokens.refresh_token)).status).toBe(200)
    expect(
      await db.maybeOne(sql`select expires_at = max_expires_at as "isLast" from sessions where id = ${sid}`),
    ).toEqual({ isLast: true })
  })

  test('of ten simultaneous redemptions of one code one succeeds, and what it got ends', async () => {
    const { verifier, challenge } = pkce()
    const end = await walk(
      world,
      authPath(project, { code_challenge: challenge, code_challenge_method: 'S256' }),
    )
    const code = end.searchParams.get('code') ?? ''
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => redeem(world, project, code, { code_verifier: verifier })),
    )
    const good = replies.filter(({ status }) => status === 200)
    expect(good).toHaveLength(1)
    expect((await userinfo(world, good[0]?.body.access_token)).status).toBe(401)
  })

  test('single sign-on of another site counts, with membership read anew, and prompt=none needs it', async () => {
    const browser = new Browser(world.url)
    const refused = await walk(world, authPath(project, { prompt: 'none' }), { browser })
    expect(refused.searchParams.get('error')).toBe('login_required')
    await walk(world, authPath(project), { browser })
    world.sim.journal.clear()
    const again = await walk(world, authPath(project, { prompt: 'none' }), { browser })
    expect(again.searchParams.get('code')).toMatch(/^rcg_/)
    expect(world.sim.journal.count('token')).toBe(0)
    expect(world.sim.journal.count('member')).toBe(1)
  })

  test('a project that is not internal asks for consent once', async () => {
    const strange = await givenClient(world, { isInternal: false })
    const denied = await walk(world, authPath(strange), { decision: 'deny' })
    expect(denied.searchParams.get('error')).toBe('access_denied')
    expect(denied.searchParams.get('error_reason')).toBe('declined')
    const browser = new Browser(world.url)
    expect((await walk(world, authPath(strange), { browser })).searchParams.get('code')).toMatch(/^rcg_/)
    const none = await walk(world, authPath(strange, { prompt: 'none' }), { browser })
    expect(none.searchParams.get('code')).toMatch(/^rcg_/)
  })

  test('the admin API shows what a project is as a client, and switching it off ends what it had', async () => {
    const token = await givenAdmin(world)
    const off = await givenClient(world)
    const tokens = await logIn(world, off)
    const { sid } = claimsOf(tokens.id_token)
    const setEnabled = (enabled: boolean) =>
      call(world.url, 'PATCH', `/api/admin/projects/${off.id}`, { token, body: { oidc: { enabled } } })
    const listed = async () => {
      const { body } = await call(world.url, 'GET', `/api/admin/members/${demo.users.ada}/sessions`, {
        token,
      })
      return body.sessions.some(({ id }: { id: string }) => id === sid)
    }
    expect(await listed()).toBe(true)
    const reply = await setEnabled(false)
    expect(reply.body.oidc).toEqual({
      enabled: false,
      serverId: demo.mainGuildId,
      publicClient: false,
      postLogoutRedirectUris: [],
      backchannelLogoutUri: null,
      deviceFlow: false,
      rolesInIdToken: false,
      resources: [],
      clientHosts: [],
    })
    expect((await userinfo(world, tokens.access_token)).status).toBe(401)
    expect((await call(world.url, 'GET', authPath(off))).status).toBe(400)
    expect(await listed()).toBe(false)
    await setEnabled(true)
    expect(await listed()).toBe(false)
    expect((await userinfo(world, tokens.access_token)).status).toBe(401)
  })
})
