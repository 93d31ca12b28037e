import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { atOnce } from '../../../test/at-once.ts'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import {
  authorizePath,
  Browser,
  givenAdmin,
  givenCode,
  givenSession,
  redirectUri,
  walkLogin,
} from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

const person = demo.users.rosa
const rounds = 3

describe.each(mainEngines)('an erasure, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
  const project = projectForTests(world)
  let urls: string[]
  let admin: string
  beforeAll(async () => {
    urls = [world.url, engine === 'postgres' ? (await world.another()).url : world.url]
    admin = await givenAdmin(world)
  })

  const urlOf = (i: number) => urls[i % 2] as string
  const byKey = (i: number, path: string, body: object) =>
    call(urlOf(i), 'POST', `/api/auth/${path}`, { key: project.key, body })
  const erase = (i: number) => call(urlOf(i), 'DELETE', `/api/admin/members/${person}`, { token: admin })
  const read = (path: string) =>
    call(world.url, 'GET', `/api/servers/${demo.mainGuildId}/members?${path}`, { key: project.key })

  test('among logins, exchanges, refreshes and logouts leaves no session of before, and nothing answers 5xx', async () => {
    for (let round = 0; round < rounds; round++) {
      const session = await givenSession(world, project, person)
      const codes = await atOnce(4, () => givenCode(world, project, person))
      const browsers = [new Browser(urlOf(0)), new Browser(urlOf(1))]
      const [erased, ended, refreshed, ...exchanged] = await Promise.all([
        erase(round),
        byKey(1, 'logout-all', { memberId: person }),
        call(urlOf(0), 'POST', '/api/auth/token/refresh', {
          token: session.token,
          body: { refreshToken: session.refreshToken },
        }),
        ...codes.map((code, i) => byKey(i, 'token', { clientId: project.id, code, redirectUri })),
        ...browsers.map(async (browser) => {
          const path = authorizePath(project.id)
          await walkLogin({ url: browser.url, sim: world.sim }, path, { browser, as: person })
          return { status: 302, body: {} as { token?: string } }
        }),
      ])
      expect(erased.status, erased.text).toBe(204)
      for (const { status } of [ended, refreshed, ...exchanged]) expect(status).toBeLessThan(500)
      // A concurrent sign-in either came first and is erased, or its member returns as a new one.
      expect((await byKey(0, 'validate', { token: session.token })).status).toBe(401)
      if (refreshed.status === 200)
        expect((await byKey(1, 'validate', { token: refreshed.body.accessToken })).status).toBe(401)
    }
  })

  test('is told to readers of the feed of changes: their cursor is refused, and what they begin anew with goes on', async () => {
    await givenSession(world, project, person)
    const { changeCursor } = (await read('limit=1')).body
    expect((await read(`changedSince=${changeCursor}`)).status).toBe(200)
    expect((await erase(0)).status).toBe(204)
    const refused = await read(`changedSince=${changeCursor}`)
    expect([refused.status, refused.body.code]).toEqual([410, 'CURSOR_UNKNOWN'])
    const anew = (await read('limit=100')).body
    expect(anew.data.map(({ memberId }: { memberId: string }) => memberId)).not.toContain(person)
    const next = await read(`changedSince=${anew.changeCursor}`)
    expect(next.status, next.text).toBe(200)
    expect((await read(`changedSince=${next.body.changeCursor}`)).status).toBe(200)
  })
})
