import { beforeAll, describe, expect, test } from 'vitest'
import { atOnce, tally } from '../../../test/at-once.ts'
import { engines } from '../../../test/databases.ts'
import type { GivenProject } from '../../../test/given.ts'
import {
  authPath,
  claimsOf,
  givenClient,
  logIn,
  redeem,
  refresh,
  userinfo,
  walk,
} from '../../../test/oidc.ts'
import type { World } from '../../../test/service.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const scopes = { long: 'openid profile email roles offline_access', short: 'openid profile email roles' }

/** Matches statements about clients, sessions, and their records; not those of the lease, which runs by itself. */
const isOfGrant = (text: string) => /\b(oidc_\w+|live_sessions|sessions)\b/.test(text)
const isWrite = (text: string) => /\b(insert into|update|delete from) /.test(text)

interface Given {
  readonly world: World
  readonly project: GivenProject
}

const codeOf = async ({ world, project }: Given, scope = scopes.long) =>
  (await walk(world, authPath(project, { scope }))).searchParams.get('code') ?? ''

/** Counts the statements about grants, and requires that each request succeeds. */
const statementsOf = async (world: World, ask: () => Promise<{ status: number; text: string }[]>) => {
  let replies: { status: number; text: string }[] = []
  const texts = (
    await world.service.statementsOf(async () => {
      replies = await ask()
    })
  ).filter(isOfGrant)
  for (const { status, text } of replies) expect(status, text).toBe(200)
  return { reads: texts.filter((text) => !isWrite(text)).length, writes: texts.filter(isWrite).length }
}
describe.each(engines)('the token endpoint on %s', (engine) => {
  let project: GivenProject
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
  beforeAll(async () => {
    project = await givenClient(world)
  })

  const givenCode = (scope?: string) => codeOf({ world, project }, scope)
  const usedAt = async (scope: keyof typeof scopes) => {
    const [row] = await world.service.deps.db.query<{ n: number }>(
      sql`select count(*) as n from oidc_records where consumed_at is not null and payload like ${`%"${scopes[scope]}"%`}`,
    )
    return row?.n
  }

  /** The client, the code or refresh token with its grant, and the facts of the session. */
  const alone = { reads: 3, writes: 1 }

  test.each(Object.entries(scopes))('redeems a code with %s scope in four statements', async (_, scope) => {
    const code = await givenCode(scope)
    expect(await statementsOf(world, async () => [await redeem(world, project, code)])).toEqual(alone)
  })

  test('rotates a refresh token in four statements', async () => {
    const { refresh_token } = await logIn(world, project)
    expect(await statementsOf(world, async () => [await refresh(world, project, refresh_token)])).toEqual(
      alone,
    )
  })

  test('gives the tokens of a crowd to their owners: each opens its own session', async () => {
    const before = await atOnce(6, () => logIn(world, project))
    const after = await Promise.all(before.map(({ refresh_token }) => refresh(world, project, refresh_token)))
    for (const [i, { body }] of after.entries()) {
      expect(claimsOf(body.id_token).sid).toBe(claimsOf(before[i]?.id_token ?? '').sid)
      expect((await userinfo(world, body.access_token)).status).toBe(200)
    }
  })

  test('of equal refresh tokens in one crowd one is rotated, and the others are rejected', async () => {
    const { refresh_token } = await logIn(world, project)
    const replies = await atOnce(8, () => refresh(world, project, refresh_token))
    expect(tally(replies.map(({ status }) => status))).toEqual({ 200: 1, 400: 7 })
    const rotated = replies.find(({ status }) => status === 200)
    expect((await refresh(world, project, rotated?.body.refresh_token)).status).toBe(200)
  })

  test('a request that fails before its tokens are stored uses up nothing, and fails no other request', async () => {
    const { db } = world.service.deps
    const used = await usedAt('short')
    const [failing, other] = [await givenCode(scopes.short), await givenCode()]
    await db.script(`
      create function refuse_token() returns trigger language plpgsql as $$
      begin raise 'this token cannot be stored'; end $$;
      create trigger refuse_token before insert on oidc_records for each row
        when (new.model = 'AccessToken' and new.payload like '%"${scopes.short}"%') execute function refuse_token()`)
    try {
      const replies = await Promise.all([failing, other].map((code) => redeem(world, project, code)))
      expect(replies.map(({ status }) => status)).toEqual([500, 200])
      expect(await usedAt('short')).toBe(used)
    } finally {
      await db.script('drop trigger refuse_token on oidc_records; drop function refuse_token')
    }
    expect((await redeem(world, project, failing)).status).toBe(200)
  })
})

// PGlite has one connection: its requests take turns, and no transaction can hold a row while others continue.
describe('redemptions beside others', () => {
  let project: GivenProject
  const world = worldForTests('postgres', { PERMISSION_TTL_MS: '3600000' })
  beforeAll(async () => {
    project = await givenClient(world)
  })

  test('redeems codes and refresh tokens of a crowd in shared statements', async () => {
    const tokens: (string | undefined)[] = []
    const codes: string[] = []
    while (tokens.length < 20) tokens.push((await logIn(world, project)).refresh_token)
    while (codes.length < 20) codes.push(await codeOf({ world, project }))
    const shared = await statementsOf(world, () =>
      Promise.all([
        ...tokens.map((token) => refresh(world, project, token)),
        ...codes.map((code) => redeem(world, project, code)),
      ]),
    )
    expect(shared.writes).toBeLessThan(tokens.length + codes.length)
    expect(shared.reads).toBeLessThan(3 * (tokens.length + codes.length))
  })

  const rows = {
    session: (sid: string) => sql`select from sessions where id = ${sid} for update`,
    'refresh token': (sid: string) =>
      sql`select from oidc_records where session_id = ${sid} and model = 'RefreshToken' for update`,
  }
  test.each(Object.entries(rows))(
    'one waits for its %s that a transaction holds, and the others do not wait',
    async (_, lock) => {
      const [held, ...others] = await atOnce(5, () => logIn(world, project))
      let waiting: Promise<{ status: number }> | undefined
      let isAnswered = false
      await world.service.deps.db.transaction(async (tx) => {
        await tx.query(lock(claimsOf(held?.id_token ?? '').sid))
        waiting = refresh(world, project, held?.refresh_token).finally(() => {
          isAnswered = true
        })
        const replies = await Promise.all(
          others.map(({ refresh_token }) => refresh(world, project, refresh_token)),
        )
        expect(replies.map(({ status }) => status)).toEqual(others.map(() => 200))
        expect(isAnswered).toBe(false)
      })
      expect((await waiting)?.status).toBe(200)
    },
  )
})
