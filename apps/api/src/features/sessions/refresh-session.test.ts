import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import { countRows, type GivenSession, givenProject, givenSession, validate } from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { mintToken } from '../../platform/crypto/tokens.ts'

const day = 86_400

describe.each(mainEngines)('POST /api/auth/token/refresh on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: String(400 * day * 1_000) })
  const project = projectForTests(world)

  type Pair = Pick<GivenSession, 'token' | 'refreshToken'>
  const refresh = ({ token, refreshToken }: Pair) =>
    call(world.url, 'POST', '/api/auth/token/refresh', { token, body: { refreshToken } })
  const refreshed = async (pair: Pair): Promise<GivenSession> => {
    const { status, body } = await refresh(pair)
    expect(status).toBe(200)
    return { token: body.accessToken, refreshToken: body.refreshToken, expiresAt: body.expiresAt }
  }
  const codeOf = async (pair: Pair) => (await refresh(pair)).body.code
  const isGood = async ({ token }: Pair, of = project) => (await validate(world, of, token)).status === 200
  const warnings = () =>
    countRows(
      world,
      `audit_log where action = 'session.reuse' and severity = 'warning' and action_type = 'auth'`,
    )

  test('answers a new pair; the old one is dead at once, the session the same', async () => {
    const old = await givenSession(world, project)
    const { session } = (await validate(world, project, old.token)).body
    const reply = await refresh(old)
    expect(Object.keys(reply.body).sort()).toEqual(['accessToken', 'expiresAt', 'refreshToken'])
    const next = { token: reply.body.accessToken, refreshToken: reply.body.refreshToken }
    expect(next.token).not.toBe(old.token)
    expect(next.refreshToken).not.toBe(old.refreshToken)
    expect(await isGood(old)).toBe(false)
    expect((await call(world.url, 'GET', '/api/auth/sessions', { token: old.token })).status).toBe(401)
    const now = (await validate(world, project, next.token)).body.session
    expect(now).toEqual({ ...session, expiresAt: reply.body.expiresAt })
  })

  test('expiry slides by SESSION_TTL_SEC from the refresh, and only a refresh moves it', async () => {
    const first = await givenSession(world, project)
    await later(world.service, 20 * day, async () => {
      for (let i = 0; i < 3; i++) {
        expect((await validate(world, project, first.token)).body.session.expiresAt).toBe(first.expiresAt)
      }
      const next = await refreshed(first)
      expect((Date.parse(next.expiresAt) - Date.parse(first.expiresAt)) / 1_000 / day).toBeCloseTo(20, 1)
    })
  })

  test('without a refresh a session ends after 30 days, and then cannot be refreshed: both must be valid', async () => {
    const first = await givenSession(world, project)
    await later(world.service, 30 * day - 60, async () => expect(await isGood(first)).toBe(true))
    await later(world.service, 30 * day + 1, async () => {
      expect(await isGood(first)).toBe(false)
      expect(await codeOf(first)).toBe('INVALID_TOKEN')
    })
  })

  test('however often it is refreshed, a session ends 90 days after the login', async () => {
    let pair = await givenSession(world, project)
    const loginAt = Date.now()
    for (const days of [25, 50, 75]) pair = await later(world.service, days * day, () => refreshed(pair))
    expect((Date.parse(pair.expiresAt) - loginAt) / 1_000 / day).toBeCloseTo(90, 1)
    pair = await later(world.service, 89.9 * day, () => refreshed(pair))
    expect((Date.parse(pair.expiresAt) - loginAt) / 1_000 / day).toBeCloseTo(90, 1)
    await later(world.service, 90.01 * day, async () => {
      expect(await isGood(pair)).toBe(false)
      expect(await codeOf(pair)).toBe('INVALID_TOKEN')
    })
  })

  describe('401 for a pair that was used', () => {
    test('within 30 s it is superseded, and the new pair stays good', async () => {
      const old = await givenSession(world, project)
      const next = await refreshed(old)
      const before = await warnings()
      for (const mix of [old, { token: next.token, refreshToken: old.refreshToken }]) {
        expect(await codeOf(mix)).toBe('REFRESH_TOKEN_SUPERSEDED')
      }
      await later(world.service, 25, async () => expect(await codeOf(old)).toBe('REFRESH_TOKEN_SUPERSEDED'))
      expect(await isGood(next)).toBe(true)
      await refreshed(next)
      expect(await warnings()).toBe(before)
    })

    test('later it is taken for theft: the session ends, and one warning tells of it', async () => {
      const old = await givenSession(world, project)
      const next = await refreshed(old)
      const before = await warnings()
      await later(world.service, 31, async () => {
        expect(await codeOf(old)).toBe('REFRESH_TOKEN_REUSED')
        expect(await isGood(next)).toBe(false)
        expect(await codeOf(next)).toBe('INVALID_TOKEN')
        expect(await codeOf(old)).toBe('INVALID_TOKEN')
      })
      expect(await warnings()).toBe(before + 1)
    })

    test('a pair two generations old is theft at any time', async () => {
      const oldest = await givenSession(world, project)
      const older = await refreshed(oldest)
      const newest = await refreshed(older)
      expect(await codeOf(oldest)).toBe('REFRESH_TOKEN_REUSED')
      expect(await isGood(newest)).toBe(false)
    })

    test('theft is recognised with any token of the session beside the used refresh token', async () => {
      const old = await givenSession(world, project)
      const next = await refreshed(old)
      await later(world.service, 31, async () => {
        expect(await codeOf({ token: next.token, refreshToken: old.refreshToken })).toBe(
          'REFRESH_TOKEN_REUSED',
        )
        expect(await isGood(next)).toBe(false)
      })
    })

    // Otherwise a person who finds an old refresh token in a log could end the session.
    test('a used refresh token alone, or with a token of someone else, ends nothing', async () => {
      const old = await givenSession(world, project)
      const next = await refreshed(old)
      const stranger = await givenSession(world, project, demo.users.mara)
      await later(world.service, 31, async () => {
        for (const token of [mintToken('session'), 'x', stranger.token]) {
          expect(['INVALID_TOKEN', 'INVALID_REFRESH_TOKEN']).toContain(
            await codeOf({ token, refreshToken: old.refreshToken }),
          )
        }
        const noToken = await call(world.url, 'POST', '/api/auth/token/refresh', {
          body: { refreshToken: old.refreshToken },
        })
        expect(noToken.body.code).toBe('INVALID_TOKEN')
        expect(await isGood(next)).toBe(true)
        expect(await isGood(stranger)).toBe(true)
      })
    })
  })

  test('a refresh token of another session is refused, and neither session changes', async () => {
    const other = await givenProject(world)
    const mine = await givenSession(world, project)
    const others = {
      'of the same member and project': await givenSession(world, project),
      'of the same member at another project': await givenSession(world, other),
      'of another member': await givenSession(world, project, demo.users.mara),
    }
    for (const [whose, { refreshToken }] of Object.entries(others)) {
      expect(await codeOf({ token: mine.token, refreshToken }), whose).toBe('INVALID_REFRESH_TOKEN')
    }
    expect(await codeOf({ token: mine.token, refreshToken: mintToken('refresh') })).toBe(
      'INVALID_REFRESH_TOKEN',
    )
    expect(await codeOf({ token: mine.token, refreshToken: mine.token })).toBe('INVALID_REFRESH_TOKEN')
    await refreshed(mine)
    for (const [whose, pair] of Object.entries(others)) {
      expect((await refresh(pair)).status, whose).toBe(200)
    }
  })

  test('a session that was ended cannot be refreshed', async () => {
    const pair = await givenSession(world, project)
    await call(world.url, 'POST', '/api/auth/logout', { key: project.key, body: { token: pair.token } })
    expect(await codeOf(pair)).toBe('INVALID_TOKEN')
  })

  test('the token is only taken as one Bearer header of one token', async () => {
    const { token, refreshToken } = await givenSession(world, project)
    const tries = [
      '',
      'Bearer',
      'Bearer ',
      `Basic ${token}`,
      token,
      `Bearer ${token} ${token}`,
      `Bearer ${token}, Bearer ${token}`,
      `Bearer  ${token}`,
      `Token ${token}`,
    ]
    for (const authorization of tries) {
      const reply = await call(world.url, 'POST', '/api/auth/token/refresh', {
        headers: { authorization },
        body: { refreshToken },
      })
      expect(reply.status, authorization).toBe(401)
    }
    const lower = await call(world.url, 'POST', '/api/auth/token/refresh', {
      headers: { authorization: `bEARER ${token}` },
      body: { refreshToken },
    })
    expect(lower.status).toBe(200)
  })

  test('400 names what is wrong with the body, and 401 comes before it', async () => {
    const { token } = await givenSession(world, project)
    for (const body of [
      {},
      { refreshToken: '' },
      { refreshToken: 1 },
      { refreshToken: ['x'] },
      { refreshToken: 'x', more: 1 },
      [],
      null,
    ]) {
      const path = '/api/auth/token/refresh'
      expect((await call(world.url, 'POST', path, { token, body })).status).toBe(400)
      expect((await call(world.url, 'POST', path, { token: 'x', body })).status).toBe(401)
    }
  })
})
