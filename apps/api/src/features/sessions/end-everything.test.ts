import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import {
  atPlatform,
  authorizePath,
  Browser,
  exchange,
  givenAdmin,
  givenCode,
  givenSession,
  openLogin,
  validate,
  walkLogin,
} from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'
import { endEverything } from './end-everything.ts'

describe.each(ciEngines)('ending everything on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  const project = projectForTests(world)

  const sso = `/api/auth/sso/${authorizePath('', {}).slice('/api/auth/'.length)}`
  const silently = (browser: Browser) =>
    browser.get(sso.replace('client_id=', `client_id=${project.id}`).concat('&prompt=none'))

  test('nothing of before lets anybody in, and everybody can log in again', async () => {
    const session = await givenSession(world, project)
    const admin = await givenAdmin(world)
    const code = await givenCode(world, project, demo.users.joon)
    const returning = new Browser(world.url)
    await walkLogin(world, authorizePath(project.id), { browser: returning })
    const begun = new Browser(world.url)
    const back = await atPlatform(await openLogin(begun, authorizePath(project.id)))
    // The session is in memory by now: the end must reach it there, too.
    expect((await validate(world, project, session.token)).status).toBe(200)

    const ended = await endEverything(world.service.deps)
    expect(ended).toEqual({ sessions: 2, ssoSessions: expect.any(Number), codes: 2, requests: 1 })
    expect(ended.ssoSessions).toBeGreaterThan(0)

    expect((await validate(world, project, session.token)).body.code).toBe('INVALID_TOKEN')
    expect((await call(world.url, 'GET', '/api/admin/profile', { token: admin })).status).toBe(401)
    const refreshed = await call(world.url, 'POST', '/api/auth/token/refresh', {
      token: session.token,
      body: { refreshToken: session.refreshToken },
    })
    expect(refreshed.status).toBe(401)
    expect((await exchange(world, project, code)).body.code).toBe('INVALID_CODE')
    expect((await begun.get(back)).status).toBe(400)
    expect((await silently(returning)).headers.get('location')).toContain('error=login_required')

    const again = await givenSession(world, project)
    expect((await validate(world, project, again.token)).status).toBe(200)
  })

  test('leaves one audit entry by the service, with the counts', async () => {
    const { db } = world.service.deps
    await givenSession(world, project)
    const head = await db.maybeOne<{ seq: number }>(sql`select seq from audit_head`)
    await endEverything(world.service.deps)
    const entries = await db.query(sql`
      select action, severity, actor_id as "actorId", summary from audit_log where seq > ${head?.seq}`)
    expect(entries).toEqual([
      {
        action: 'session.revoke_all',
        severity: 'warning',
        actorId: null,
        summary: expect.stringMatching(
          / \d+ sessions, \d+ single sign-on sessions, 0 codes, 0 sign-ins in progress/,
        ),
      },
    ])
  })

  test('of logins that go on meanwhile none is left half way', async () => {
    const codes = await Promise.all([1, 2, 3, 4].map(() => givenCode(world, project)))
    const [replies] = await Promise.all([
      Promise.all(codes.map((code) => exchange(world, project, code))),
      endEverything(world.service.deps),
    ])
    for (const { status, body } of replies) {
      // A code exchanged before the end made a session that ended with the others. After the end, the code was unknown.
      if (status === 200) expect((await validate(world, project, body.token)).status).toBe(401)
      else expect(body.code).toBe('INVALID_CODE')
    }
  })
})
