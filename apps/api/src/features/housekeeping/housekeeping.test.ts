import { demo } from '@rolecall/chat-sim'
import { describe, expect, test, vi } from 'vitest'
import { clean } from '../../../test/clean.ts'
import { engines } from '../../../test/databases.ts'
import { exchange, givenCode, givenProject, givenSession, validate } from '../../../test/given.ts'
import { observedDatabase } from '../../../test/observed-database.ts'
import { authPath, givenClient, logIn, refresh, walk } from '../../../test/oidc.ts'
import { defaultRetention } from '../../../test/retention.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'
import { startHousekeeping } from './start-housekeeping.ts'

describe.each(engines)('housekeeping on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })

  const count = async (table: 'sessions' | 'auth_requests' | 'authorization_codes') => {
    const { db } = world.service.deps
    const row = {
      sessions: await db.maybeOne<{ n: number }>(sql`select count(*) as n from sessions`),
      auth_requests: await db.maybeOne<{ n: number }>(sql`select count(*) as n from auth_requests`),
      authorization_codes: await db.maybeOne<{ n: number }>(
        sql`select count(*) as n from authorization_codes`,
      ),
    }[table]
    return row?.n
  }

  test('a run that takes longer than a minute delays the next one, and close waits for its batch', async () => {
    const { db, log } = world.service.deps
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const statements: string[] = []
      const goOn: (() => void)[] = []
      const housekeeping = startHousekeeping(
        { db: observedDatabase(db, (text) => statements.push(text)), log },
        {
          trimChanges: async () => {},
          endKeys: () => new Promise<void>((resolve) => goOn.push(resolve)),
          retention: () => defaultRetention,
          steps: [],
        },
      )
      vi.advanceTimersByTime(60_000)
      await expect.poll(() => goOn.length).toBe(1)
      const [ofFirst = ''] = statements
      vi.advanceTimersByTime(180_000)
      expect(statements).toEqual([ofFirst])
      goOn[0]?.()
      await vi.waitFor(() => {
        vi.advanceTimersByTime(60_000)
        expect(goOn).toHaveLength(2)
      })
      expect(statements.filter((text) => text === ofFirst)).toHaveLength(2)
      const before = statements.length
      let isClosed = false
      const closing = housekeeping.close().then(() => {
        isClosed = true
      })
      await db.execute(sql`select 1`)
      expect(isClosed).toBe(false)
      goOn[1]?.()
      await closing
      expect(statements).toHaveLength(before)
    } finally {
      vi.useRealTimers()
    }
  })

  test('what is good, or must still be recognised, is kept; what is long expired is deleted', async () => {
    const project = await givenProject(world)
    const code = await givenCode(world, project)
    const session = (await exchange(world, project, code)).body
    await clean(world)
    expect((await validate(world, project, session.token)).status).toBe(200)
    expect((await exchange(world, project, code)).status).toBe(401)

    await givenSession(world, project)
    await world.service.deps.db.execute(sql`
      update sessions set expires_at = clock_now() - interval '8 days', max_expires_at = clock_now()`)
    await world.service.deps.db.execute(
      sql`update auth_requests set expires_at = clock_now() - interval '2 hours'`,
    )
    await world.service.deps.db.execute(sql`
      update authorization_codes set expires_at = clock_now() - interval '2 days'`)
    await clean(world)
    expect(await count('sessions')).toBe(0)
    expect(await count('auth_requests')).toBe(0)
    expect(await count('authorization_codes')).toBe(0)
  })

  test('of OpenID Connect, a session that no code started is gone after an hour, and a used refresh token after a week', async () => {
    const { db } = world.service.deps
    const wiki = await givenClient(world)
    const tokens = await logIn(world, wiki, { as: demo.users.joon })
    await walk(world, authPath(wiki), { as: demo.users.ada })
    expect((await refresh(world, wiki, tokens.refresh_token)).status).toBe(200)
    const kept = async () => [
      await count('sessions'),
      (
        await db.maybeOne<{ n: number }>(
          sql`select count(*) as n from oidc_records where model = 'RefreshToken'`,
        )
      )?.n,
    ]
    await clean(world)
    expect(await kept()).toEqual([2, 2])
    // The live session survives two hours; the session that was never redeemed is deleted.
    await db.execute(sql`
      update sessions set created_at = created_at - interval '2 hours', expires_at = expires_at - interval '2 hours'`)
    await db.execute(sql`update oidc_records set consumed_at = consumed_at - interval '6 days'`)
    await clean(world)
    expect(await kept()).toEqual([1, 2])
    await db.execute(sql`update oidc_records set consumed_at = consumed_at - interval '2 days'`)
    await clean(world)
    expect(await kept()).toEqual([1, 1])
  })
})
