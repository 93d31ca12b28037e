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
import { sql } from '../../platform/db/sql.ts'
import { endBlock } from './store.ts'

const { users } = demo
const rounds = 3

/** Runs against two instances if two can share a database. */
describe.each(mainEngines)('a block that races with a login, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
  const project = projectForTests(world)
  let urls: string[]
  let admin: string
  beforeAll(async () => {
    urls = [world.url, engine === 'postgres' ? (await world.another()).url : world.url]
    admin = await givenAdmin(world)
  })

  const block = (at = world.url) =>
    call(at, 'PUT', `/api/admin/members/${users.ada}/block`, { token: admin, body: { reason: 'A race' } })
  const unblock = () => call(world.url, 'DELETE', `/api/admin/members/${users.ada}/block`, { token: admin })
  const validate = (at: string, token: string) =>
    call(at, 'POST', '/api/auth/validate', { key: project.key, body: { token } })
  const exchange = (at: string, code: string) =>
    call(at, 'POST', '/api/auth/token', {
      key: project.key,
      body: { clientId: project.id, code, redirectUri },
    })
  /** Expects it to be invalid everywhere, both while the member is blocked and afterwards. */
  const expectGone = async (tokens: readonly string[]) => {
    const ask = async () => {
      for (const token of tokens)
        for (const url of urls) expect((await validate(url, token)).status).toBe(401)
    }
    await ask()
    expect((await unblock()).status).toBe(204)
    await ask()
  }

  test('leaves no session of codes that were exchanged at the same moment, here and there', async () => {
    for (let round = 0; round < rounds; round++) {
      const codes = await atOnce(8, () => givenCode(world, project))
      const [blocked, ...replies] = await Promise.all([
        block(urls[round % 2]),
        ...codes.map((code, i) => exchange(urls[i % 2] as string, code)),
      ])
      expect(blocked.status).toBe(200)
      for (const { status, body } of replies)
        if (status !== 200) expect(['MEMBER_BLOCKED', 'INVALID_CODE']).toContain(body.code)
      await expectGone(replies.flatMap(({ status, body }) => (status === 200 ? [body.token] : [])))
    }
  })

  test('leaves no session of logins that were at the platform’s screen, and no single sign-on', async () => {
    for (let round = 0; round < rounds; round++) {
      const browsers = Array.from({ length: 6 }, (_, i) => new Browser(urls[i % 2] as string))
      const [blocked, ...ends] = await Promise.all([
        block(urls[round % 2]),
        ...browsers.map((browser) =>
          walkLogin({ url: browser.url, sim: world.sim }, authorizePath(project.id), { browser }),
        ),
      ])
      expect(blocked.status).toBe(200)
      const codes = ends.flatMap((end) => end.searchParams.get('code') ?? [])
      const late = await Promise.all(codes.map((code, i) => exchange(urls[i % 2] as string, code)))
      for (const { status } of late) expect(status).toBeGreaterThanOrEqual(400)
      expect((await unblock()).status).toBe(204)
      for (const code of codes) expect((await exchange(world.url, code)).status).toBeGreaterThanOrEqual(400)
      const sso = authorizePath(project.id, { prompt: 'none' }).replace('/authorize', '/sso/authorize')
      for (const browser of browsers) {
        const back = new URL((await browser.get(sso)).headers.get('location') ?? '')
        expect(back.searchParams.get('error')).toBe('login_required')
      }
    }
  })

  test('leaves no pair of a session that was refreshed at the same moment', async () => {
    for (let round = 0; round < rounds; round++) {
      const session = await givenSession(world, project)
      const [, ...rotations] = await Promise.all([
        block(urls[round % 2]),
        ...Array.from({ length: 4 }, (_, i) =>
          call(urls[i % 2] as string, 'POST', '/api/auth/token/refresh', {
            token: session.token,
            body: { refreshToken: session.refreshToken },
          }),
        ),
      ])
      await expectGone([session.token, ...rotations.flatMap(({ body }) => body.accessToken ?? [])])
    }
  })

  // The embedded database has one connection, which serves all transactions in turn.
  if (engine === 'postgres') {
    test('that is ended by a transaction which began before it ends no earlier than it began', async () => {
      const { db } = world.service.deps
      await db.transaction(async (tx) => {
        await tx.query(sql`select 1`)
        expect((await block()).status).toBe(200)
        expect(await endBlock(tx, users.ada)).toBeDefined()
      })
      const ended = await db.maybeOne<{ isInOrder: boolean; isOver: boolean }>(sql`
        select until >= since as "isInOrder", until <= clock_now() as "isOver"
        from member_blocks where member_id = ${users.ada}`)
      expect(ended).toEqual({ isInOrder: true, isOver: true })
    })
  }

  test('once the block has answered, no instance takes a session that it had answered for', async () => {
    for (let round = 0; round < rounds; round++) {
      const { token } = await givenSession(world, project)
      for (const url of urls) expect((await validate(url, token)).status).toBe(200)
      expect((await block(urls[round % 2])).status).toBe(200)
      await expectGone([token])
    }
  })
})
