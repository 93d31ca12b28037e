import { setTimeout as sleep } from 'node:timers/promises'
import { demo } from '@rolecall/chat-sim'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { atOnce, tally } from '../../../test/at-once.ts'
import { call } from '../../../test/client.ts'
import { engines } from '../../../test/databases.ts'
import {
  countRows,
  exchange,
  type GivenSession,
  givenCode,
  givenSession,
  redirectUri,
} from '../../../test/given.ts'
import { countLockWaits } from '../../../test/lock-waits.ts'
import { repeats } from '../../../test/repeats.ts'
import { isSequential, type SessionAnswer, type SessionRequest } from '../../../test/session-order.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { digestOf } from '../../platform/crypto/tokens.ts'
import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { lockPreferredName } from '../profile/store.ts'
import { lockProject } from '../webhooks/webhook-store.ts'

type Pair = Pick<GivenSession, 'token' | 'refreshToken'>

/** A session before a race: all pairs that it had, the current one last. */
interface Runner {
  readonly id: string
  readonly pairs: readonly Pair[]
  readonly isLive: boolean
}

/** The requests of a race that concern one session. */
interface Plan {
  readonly refreshes: number
  readonly start: 'live' | 'expired' | 'ended'
  readonly requests: readonly SessionRequest[]
}

/** Sends a request that may be answered with 500, which the contract does not declare. */
async function post(url: string, path: string, headers: Record<string, string>, body: object) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

describe.each(engines)('changes that wait together on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
  const project = projectForTests(world)
  const other = projectForTests(world)
  let urls: string[]
  beforeAll(async () => {
    urls = [world.url, engine === 'postgres' ? (await world.another()).url : world.url]
  })

  let asked = 0
  const nextUrl = () => urls[asked++ % urls.length] as string
  const refresh = (url: string, { token, refreshToken }: Pair) =>
    call(url, 'POST', '/api/auth/token/refresh', { token, body: { refreshToken } })
  const logout = (url: string, token: string, of = project) =>
    call(url, 'POST', '/api/auth/logout', { key: of.key, body: { token } })
  const codeBody = (code: string) => ({ clientId: project.id, code, redirectUri })
  const exchange = (url: string, code: string) =>
    call(url, 'POST', '/api/auth/token', { key: project.key, body: codeBody(code) })
  const rowOf = async (id: string) => {
    const [row] = await world.service.deps.db.query<{
      digest: string
      isLive: boolean
      reason: string | null
    }>(
      sql`select token_digest as digest, revoked_at is null and expires_at > clock_now() as "isLive",
        revoked_reason as reason from sessions where id = ${id}`,
    )
    if (!row) throw new Error(`There is no session ${id}.`)
    return row
  }
  const idOf = async ({ token }: Pair) => {
    const [row] = await world.service.deps.db.query<{ id: string }>(
      sql`select id from sessions where token_digest = ${digestOf(token)}`,
    )
    return row?.id ?? ''
  }
  const reuses = () => countRows(world, `audit_log where action = 'session.reuse'`)

  async function prepare({ refreshes, start }: Plan): Promise<Runner> {
    const pairs: Pair[] = [await givenSession(world, project)]
    for (let i = 0; i < refreshes; i++) {
      const { body } = await refresh(world.url, pairs.at(-1) as Pair)
      pairs.push({ token: body.accessToken, refreshToken: body.refreshToken })
    }
    const [last] = pairs.slice(-1) as [Pair]
    const id = await idOf(last)
    if (start === 'ended') await logout(world.url, last.token)
    if (start === 'expired')
      await world.service.deps.db.execute(
        sql`update sessions set expires_at = clock_now() - interval '1 second' where id = ${id}`,
      )
    return { id, pairs, isLive: start === 'live' }
  }

  /** Returns the response, and the token of a new pair. */
  async function send({ pairs }: Runner, request: SessionRequest, foreign: Pair) {
    const pair = pairs[request.generation] as Pair
    const isLogout = request.kind === 'logout' || request.kind === 'foreignLogout'
    const { status, body } = await (isLogout
      ? logout(nextUrl(), pair[request.by], request.kind === 'logout' ? project : other)
      : refresh(
          nextUrl(),
          request.kind === 'refresh' ? pair : { token: pair.token, refreshToken: foreign.refreshToken },
        ))
    const outcome = status === 200 ? 'ok' : String(body['code'])
    return { answer: { ...request, outcome }, token: isLogout ? undefined : body['accessToken'] }
  }

  /** Checks that some order of the requests gives the same responses and row of one session. */
  async function expectSequential(
    { id, pairs, isLive }: Runner,
    replies: readonly { answer: SessionAnswer; token: string | undefined }[],
  ) {
    const row = await rowOf(id)
    const tokens = [...pairs.map(({ token }) => token), ...replies.flatMap(({ token }) => token ?? [])]
    const answers = replies.map(({ answer }) => answer)
    const end = {
      isLive: row.isLive,
      current: tokens.findIndex((token) => digestOf(token) === row.digest),
      isReused: row.reason === 'refresh_token_reused',
    }
    const told = JSON.stringify({ isLive, pairs: pairs.length, answers, end })
    expect(isSequential({ isLive, current: pairs.length - 1 }, answers, end), told).toBe(true)
  }

  const kind = fc.constantFrom<SessionRequest['kind']>(
    ...(['refresh', 'refresh', 'refresh', 'logout', 'refreshWithForeign', 'foreignLogout'] as const),
  )
  const by = fc.constantFrom<SessionRequest['by']>('token', 'refreshToken')
  const plan: fc.Arbitrary<Plan> = fc.nat(2).chain((refreshes) =>
    fc.record({
      refreshes: fc.constant(refreshes),
      start: fc.constantFrom<Plan['start']>('live', 'live', 'live', 'live', 'expired', 'ended'),
      requests: fc.array(
        fc.record({ kind, by, generation: fc.oneof(fc.constant(refreshes), fc.nat(refreshes)) }),
        {
          minLength: 1,
          maxLength: 6,
        },
      ),
    }),
  )

  test('each answer is what some order of the requests gives, and each theft has one audit entry', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 12 }), async (plans) => {
        const foreign = await givenSession(world, other)
        const runners = await Promise.all(plans.map(prepare))
        const before = await reuses()
        const sent = plans.map(({ requests }, i) =>
          Promise.all(requests.map((request) => send(runners[i] as Runner, request, foreign))),
        )
        const replies = await Promise.all(sent)
        for (const [i, runner] of runners.entries()) await expectSequential(runner, replies[i] ?? [])
        const stolen = await Promise.all(runners.map(async ({ id }) => (await rowOf(id)).reason))
        expect((await reuses()) - before).toBe(
          stolen.filter((reason) => reason === 'refresh_token_reused').length,
        )
        expect((await refresh(world.url, foreign)).status).toBe(200)
      }),
      { numRuns: repeats(15) },
    )
  }, 120_000)

  test('a code that cannot be exchanged fails only its own exchange', async () => {
    const { db } = world.service.deps
    const members = [demo.users.ada, demo.users.mara, demo.users.kenji]
    const codes = await atOnce(9, (i) => givenCode(world, project, members[i % 3]))
    await db.script(`
      create function refuse_member() returns trigger language plpgsql as $$
      begin raise 'this member gets no session'; end $$;
      create trigger refuse_member before insert on sessions for each row when (new.member_id = '${demo.users.mara}')
        execute function refuse_member()`)
    try {
      const replies = await atOnce(9, (i) =>
        post(world.url, '/api/auth/token', { 'x-api-key': project.key }, codeBody(codes[i] as string)),
      )
      expect(replies.map(({ status }) => status)).toEqual(codes.map((_, i) => (i % 3 === 1 ? 500 : 200)))
      for (const [i, { body }] of replies.entries())
        if (i % 3 !== 1) expect(body.member.id).toBe(members[i % 3])
    } finally {
      await db.script('drop trigger refuse_member on sessions; drop function refuse_member')
    }
  })

  test('a session that cannot be changed fails only its own requests', async () => {
    const { db } = world.service.deps
    const pairs = await atOnce(12, () => givenSession(world, project))
    const poisoned = await idOf(pairs[5] as Pair)
    await db.script(`
      create function refuse_one() returns trigger language plpgsql as $$
      begin raise 'this session cannot be changed'; end $$;
      create trigger refuse_one before update on sessions for each row when (new.id = '${poisoned}')
        execute function refuse_one()`)
    try {
      const refreshed = await Promise.all(
        pairs.map(({ token, refreshToken }) =>
          post(world.url, '/api/auth/token/refresh', { authorization: `Bearer ${token}` }, { refreshToken }),
        ),
      )
      expect(refreshed.map(({ status }) => status)).toEqual(pairs.map((_, i) => (i === 5 ? 500 : 200)))
      const tokens = refreshed.map(({ body }, i) => body.accessToken ?? pairs[i]?.token)
      const ended = await Promise.all(
        tokens.map((token) => post(world.url, '/api/auth/logout', { 'x-api-key': project.key }, { token })),
      )
      expect(ended.map(({ status }) => status)).toEqual(pairs.map((_, i) => (i === 5 ? 500 : 200)))
      expect((await rowOf(poisoned)).isLive).toBe(true)
    } finally {
      await db.script('drop trigger refuse_one on sessions; drop function refuse_one')
    }
  })

  test('a crowd shares statements, and a request alone is one statement', async () => {
    const one = await givenSession(world, project)
    const crowd: Pair[] = []
    // The chat platform answers one sign-in at a time, and each waits for two seconds at most.
    while (crowd.length < 60) crowd.push(...(await atOnce(10, () => givenSession(world, project))))
    const updates = async (run: () => Promise<{ status: number }[]>) => {
      let statuses: number[] = []
      const texts = await world.service.statementsOf(async () => {
        statuses = (await run()).map(({ status }) => status)
      })
      expect(tally(statuses)).toEqual({ 200: statuses.length })
      return texts.filter((text) => /update (sessions|authorization_codes)/.test(text)).length
    }
    expect(await updates(async () => [await refresh(world.url, one)])).toBe(1)
    const lone = (await refresh(world.url, await givenSession(world, project))).body.accessToken
    const tokens: string[] = []
    const refreshes = await updates(async () => {
      const replies = await atOnce(crowd.length, (i) => refresh(world.url, crowd[i] as Pair))
      tokens.push(...replies.map(({ body }) => body.accessToken))
      return replies
    })
    expect(refreshes).toBeLessThan(crowd.length)
    expect(await updates(async () => [await logout(world.url, lone)])).toBe(1)
    const logouts = await updates(() => Promise.all(tokens.map((token) => logout(world.url, token))))
    expect(logouts).toBeLessThan(tokens.length)
    const codes: string[] = []
    while (codes.length < 20) codes.push(...(await atOnce(10, () => givenCode(world, project))))
    const exchanges = await updates(() => Promise.all(codes.map((code) => exchange(world.url, code))))
    expect(exchanges).toBeLessThan(codes.length)
  })
})

// PGlite has one connection: no transaction can hold a row while others continue.
describe('changes beside a transaction that holds a row', () => {
  const world = worldForTests('postgres', { PERMISSION_TTL_MS: '3600000' })
  const project = projectForTests(world)

  const changes = {
    refresh: ({ token, refreshToken }: Pair) =>
      call(world.url, 'POST', '/api/auth/token/refresh', { token, body: { refreshToken } }),
    logout: ({ token }: Pair) =>
      call(world.url, 'POST', '/api/auth/logout', { key: project.key, body: { token } }),
  }
  test.each(['refresh', 'logout'] as const)(
    'a %s of that session waits for it, and the others do not wait',
    async (name) => {
      const held = await givenSession(world, project)
      const others = await atOnce(8, () => givenSession(world, project))
      const answered: string[] = []
      const note = async (what: string, pair: Pair) => {
        const { status } = await changes[name](pair)
        answered.push(`${what} ${status}`)
      }
      let waiting: Promise<void> | undefined
      await world.service.deps.db.transaction(async (tx) => {
        await tx.query(sql`select from sessions where token_digest = ${digestOf(held.token)} for update`)
        waiting = note('held', held)
        await sleep(50)
        await Promise.all(others.map((pair) => note('other', pair)))
        expect(answered).toEqual(others.map(() => 'other 200'))
      })
      await waiting
      expect(answered.at(-1)).toBe('held 200')
    },
  )

  test('an exchange waits for a transaction that holds its code', async () => {
    const code = await givenCode(world, project)
    const { db } = world.service.deps
    const isWaiting = async () => (await countLockWaits(db)) > 0
    let isAnswered = false
    const [exchanged] = await db.transaction(async (tx) => {
      await tx.query(sql`select from authorization_codes where digest = ${digestOf(code)} for update`)
      const reply = exchange(world, project, code)
      void reply.then(() => {
        isAnswered = true
      })
      await expect.poll(async () => isAnswered || (await isWaiting())).toBe(true)
      return [reply]
    })
    expect((await exchanged)?.status).toBe(200)
  })

  const locks: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
    'a project, while a webhook is created': (tx) => lockProject(tx, project.id),
    'a member, while a profile changes': (tx) => lockPreferredName(tx, demo.users.ada),
  }
  test.each(Object.keys(locks))('no change waits for a transaction that holds %s', async (name) => {
    const [renewed, ended] = await atOnce(2, () => givenSession(world, project))
    const code = await givenCode(world, project)
    const exchange = () =>
      call(world.url, 'POST', '/api/auth/token', {
        key: project.key,
        body: { code, clientId: project.id, redirectUri },
      })
    await world.service.deps.db.transaction(async (tx) => {
      await locks[name]?.(tx)
      const replies = await Promise.all([
        exchange(),
        changes.refresh(renewed as Pair),
        changes.logout(ended as Pair),
      ])
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    })
  })
})
