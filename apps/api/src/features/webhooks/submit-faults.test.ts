import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { call } from '../../../test/client.ts'
import { type GivenProject, givenProject } from '../../../test/given.ts'
import { type GivenWebhook, givenWebhook, sign, submit } from '../../../test/given-webhook.ts'
import { countLockWaits } from '../../../test/lock-waits.ts'
import type { Service } from '../../../test/service.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

describe('submissions when parts fail', () => {
  let second: Service
  let project: GivenProject
  const world = worldForTests('postgres', { RATE_LIMIT_GLOBAL: '0' })
  beforeAll(async () => {
    second = await world.another()
    project = await givenProject(world)
  })

  const stored = async ({ id }: GivenWebhook) => {
    const rows = await world.service.deps.db.query<{ payload: string }>(sql`
      select payload from inbound_submissions where webhook_id = ${id}`)
    return rows.map(({ payload }) => payload)
  }
  const body = (n: number) => JSON.stringify({ name: 'n', age: n })

  test('one signature at two instances at once is stored once', async () => {
    const hook = await givenWebhook(world, project)
    for (let round = 0; round < 10; round++) {
      const raw = body(round)
      const headers = sign(hook.secret, raw)
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          submit(i % 2 ? second : world, project, hook.id, { raw, headers }),
        ),
      )
      expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
    }
    expect(await stored(hook)).toHaveLength(10)
  })

  test('one idempotency key at two instances at once is one submission, and both are told of it', async () => {
    const hook = await givenWebhook(world, project)
    for (let round = 0; round < 10; round++) {
      const raw = body(round)
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, i) => {
          const headers = {
            ...sign(hook.secret, raw, Math.floor(Date.now() / 1000) - i),
            'idempotency-key': `k${round}`,
          }
          return submit(i % 2 ? second : world, project, hook.id, { raw, headers })
        }),
      )
      expect(new Set(replies.map((reply) => `${reply.status} ${reply.body.id}`)).size).toBe(1)
    }
    expect(await stored(hook)).toHaveLength(10)
  })

  test('a signature stays good when its idempotency key goes to another request at the same moment', async () => {
    const { db } = world.service.deps
    const hook = await givenWebhook(world, project)
    const raw = body(2)
    const headers = sign(hook.secret, raw)
    const waiting = () => countLockWaits(db)
    const sent = await db.transaction(async (tx) => {
      await tx.execute(sql`
        insert into inbound_idempotency_keys (webhook_id, key, body_digest, submission_id, received_at)
        values (${hook.id}, 'taken', 'of another body', ${randomUUID()}, clock_now())`)
      const reply = submit(world, project, hook.id, {
        raw,
        headers: { ...headers, 'idempotency-key': 'taken' },
      })
      await expect.poll(waiting).toBe(1)
      return [reply]
    })
    const [refused] = await Promise.all(sent)
    expect([refused?.status, refused?.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
    expect((await submit(world, project, hook.id, { raw, headers })).status).toBe(201)
  })

  test('connections cut at any moment: a sender who tries again ends with exactly one submission', async () => {
    const hook = await givenWebhook(world, project)
    const { db } = second.deps
    let done = false
    const cutting = (async () => {
      // The instance that accepts the submissions; the one that cuts connections is not affected.
      while (!done) {
        await db
          .query(sql`
            select pg_terminate_backend(pid) from pg_stat_activity
            where application_name = 'rolecall' and datname = current_database() and pid <> pg_backend_pid()
              and query like '%with clock as (%'`)
          .catch(() => {})
        // If connections were cut without a pause, nothing would ever get through.
        await pause(20)
      }
    })()
    const send = async (n: number) => {
      const raw = body(n)
      const headers = { ...sign(hook.secret, raw), ...(n % 2 && { 'idempotency-key': `cut${n}` }) }
      for (let tries = 0; tries < 300; tries++) {
        const reply = await submit(world, project, hook.id, { raw, headers })
        if (reply.status !== 503) return reply.status
      }
      return 0
    }
    const ends: number[] = []
    try {
      for (let n = 0; n < 200; n += 10) {
        ends.push(...(await Promise.all(Array.from({ length: 10 }, (_, i) => send(n + i)))))
      }
    } finally {
      done = true
      await cutting
    }
    expect(ends.every((status, n) => status === 201 || (status === 409 && n % 2 === 0))).toBe(true)
    expect((await stored(hook)).sort()).toEqual(Array.from({ length: 200 }, (_, n) => body(n)).sort())
  })

  test('without the cache replay protection pauses; what was used meanwhile is used when it is back', async () => {
    const cacheless = await world.another({ CACHE_URL: 'redis://127.0.0.1:1' })
    const hook = await givenWebhook(world, project)
    const raw = body(1)
    const headers = sign(hook.secret, raw)
    const first = await submit(cacheless, project, hook.id, { raw, headers })
    const again = await submit(cacheless, project, hook.id, { raw, headers })
    expect([first.status, again.status]).toEqual([201, 201])
    const back = await submit(world, project, hook.id, { raw, headers })
    expect([back.status, back.body.code]).toEqual([409, 'SIGNATURE_REPLAYED'])
  })

  test('what changed on one instance holds on the other for the next submission', async () => {
    const hook = await givenWebhook(world, project)
    expect((await submit(second, project, hook.id, { raw: body(1) })).status).toBe(201)
    await world.service.deps.db.execute(sql`
      update inbound_webhooks set schema = '{"required":["colour"]}', version = version + 1 where id = ${hook.id}`)
    expect((await submit(second, project, hook.id, { raw: body(1) })).status).toBe(422)
    const reply = await call(second.url, 'POST', `/api/inbound-webhooks/${hook.slug}/submit`, {
      key: project.key,
      body: { colour: 'red' },
    })
    expect(reply.status).toBe(201)
  })
})
