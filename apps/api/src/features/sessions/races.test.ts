import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { atOnce, tally } from '../../../test/at-once.ts'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import {
  authorizePath,
  Browser,
  countRows,
  type GivenSession,
  givenCode,
  givenProject,
  givenSession,
  redirectUri,
  walkLogin,
} from '../../../test/given.ts'
import { repeats } from '../../../test/repeats.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

const crowd = 50

/** Everything here runs against two instances where two can share a database. */
describe.each(mainEngines)('races on %s', (engine) => {
  let urls: string[]
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
  const project = projectForTests(world)
  beforeAll(async () => {
    urls = [world.url, engine === 'postgres' ? (await world.another()).url : world.url]
  })

  const urlOf = (i: number) => urls[i % urls.length] as string
  const post = (i: number, path: string, body: object) =>
    call(urlOf(i), 'POST', path, { key: project.key, body })
  const exchange = (i: number, code: string) =>
    post(i, '/api/auth/token', { clientId: project.id, code, redirectUri })
  const refresh = (i: number, { token, refreshToken }: Pick<GivenSession, 'token' | 'refreshToken'>) =>
    call(urlOf(i), 'POST', '/api/auth/token/refresh', { token, body: { refreshToken } })
  const validate = (i: number, token: string) => post(i, '/api/auth/validate', { token })
  /** Validates on every instance, also on one that did not make the change. */
  const statuses = async (token: string) =>
    (await atOnce(2, (i) => validate(i, token))).map(({ status }) => status)
  const words = (replies: { status: number; body: { code?: string } }[]) =>
    tally(replies.map(({ status, body }) => body.code ?? status))

  test('of fifty simultaneous exchanges of one code exactly one makes a session, and the reuse ends it', async () => {
    for (let round = 0; round < repeats(4); round++) {
      const code = await givenCode(world, project)
      const before = await countRows(world, 'sessions')
      const replies = await atOnce(crowd, (i) => exchange(i, code))
      expect(words(replies)).toEqual({ 200: 1, INVALID_CODE: crowd - 1 })
      expect(await countRows(world, 'sessions')).toBe(before + 1)
      const winner = replies.find(({ status }) => status === 200)
      expect(await statuses(winner?.body.token)).toEqual([401, 401])
    }
  })

  test('of fifty simultaneous refreshes of one pair exactly one gets the next, and the session goes on with it', async () => {
    for (let round = 0; round < repeats(4); round++) {
      const old = await givenSession(world, project)
      const replies = await atOnce(crowd, (i) => refresh(i, old))
      expect(words(replies)).toEqual({ 200: 1, REFRESH_TOKEN_SUPERSEDED: crowd - 1 })
      const winner = replies.find(({ status }) => status === 200)
      expect(await statuses(winner?.body.accessToken)).toEqual([200, 200])
      expect(await statuses(old.token)).toEqual([401, 401])
    }
  })

  test('once a refresh has answered, no instance takes the old token any more', async () => {
    let pair = await givenSession(world, project)
    for (let round = 0; round < repeats(25); round++) {
      // Both instances have validated this token a moment ago.
      expect(await statuses(pair.token)).toEqual([200, 200])
      const { body } = await refresh(round, pair)
      expect(await statuses(pair.token)).toEqual([401, 401])
      pair = { token: body.accessToken, refreshToken: body.refreshToken, expiresAt: body.expiresAt }
    }
  })

  // In either order of commits, an ended session must be gone, with every pair that the race created.
  const endings: Record<string, (session: GivenSession, id: string) => Promise<{ status: number }>> = {
    'logout of the token': ({ token }) => post(1, '/api/auth/logout', { token }),
    'logout of the refresh token': ({ refreshToken }) => post(1, '/api/auth/logout', { token: refreshToken }),
    'logout-all': () => post(1, '/api/auth/logout-all', { memberId: demo.users.ada }),
    'revocation by another session of the member': async (_, id) => {
      const { token } = await givenSession(world, await givenProject(world))
      return call(urlOf(1), 'DELETE', `/api/auth/sessions/${id}`, { token })
    },
  }
  test.each(Object.keys(endings))(
    'after %s during a refresh, no pair of the session is good',
    async (name) => {
      const end = endings[name] as (typeof endings)[string]
      for (let round = 0; round < repeats(12); round++) {
        const session = await givenSession(world, project)
        const { id } = (await validate(0, session.token)).body.session
        const [ended, ...rotations] = await Promise.all([
          end(session, id),
          ...Array.from({ length: 4 }, (_, i) => refresh(i, session)),
        ])
        expect([200, 204]).toContain(ended.status)
        const tokens = [session.token, ...rotations.flatMap(({ body }) => body.accessToken ?? [])]
        for (const token of tokens) expect(await statuses(token)).toEqual([401, 401])
      }
    },
  )

  test('logout-all during twenty exchanges leaves no session of them, and later logins are good', async () => {
    const member = demo.users.mara
    const browser = new Browser(world.url)
    await walkLogin(world, authorizePath(project.id), { browser, as: member })
    for (let round = 0; round < 3; round++) {
      const codes = await atOnce(20, () => givenCode(world, project, member))
      const [ended, ...replies] = await Promise.all([
        post(1, '/api/auth/logout-all', { memberId: member }),
        ...codes.map((code, i) => exchange(i, code)),
      ])
      expect(ended.status).toBe(200)
      for (const { status, body } of replies) {
        if (status === 200) expect(await statuses(body.token)).toEqual([401, 401])
        else expect(body.code).toBe('INVALID_CODE')
      }
      const late = await exchange(0, await givenCode(world, project, member))
      expect(await statuses(late.body.token)).toEqual([200, 200])
    }
  })

  test('a session that was acknowledged as ended validates nowhere from then on, while all are asking', async () => {
    for (let round = 0; round < repeats(10); round++) {
      const { token } = await givenSession(world, project)
      let ended = false
      const seenAfter: number[] = []
      const asking = atOnce(8, async (i) => {
        for (let n = 0; n < 12; n++) {
          const wasEnded = ended
          const { status } = await validate(i, token)
          if (wasEnded) seenAfter.push(status)
        }
      })
      await post(1, '/api/auth/logout', { token })
      ended = true
      await asking
      expect(seenAfter).toEqual(seenAfter.map(() => 401))
    }
  })

  test('two browsers that log the same new member in at once both succeed, and make one member', async () => {
    const { world: people } = world.sim
    for (let round = 0; round < repeats(4); round++) {
      const { id } = people.addUser({ username: `racer-${round}` })
      people.addMember(demo.mainGuildId, id, { roles: [demo.roles.crew] })
      const codes = await atOnce(8, () => givenCode(world, project, id))
      const replies = await Promise.all(codes.map((code, i) => exchange(i, code)))
      expect(words(replies)).toEqual({ 200: 8 })
      expect(await countRows(world, `members where id = '${id}'`)).toBe(1)
    }
  })
})
