import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import { givenProject } from '../../../test/given.ts'
import { givenWebhook, macOf, nowSec, sign, submit } from '../../../test/given-webhook.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { observedDatabase } from '../../../test/observed-database.ts'
import { defaultRetention } from '../../../test/retention.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { deleteExpired } from '../housekeeping/store.ts'
import { createSubmissionStore } from './submission-batcher.ts'

describe.each(mainEngines)('POST /api/inbound-webhooks/{id}/submit on %s', (engine) => {
  const world = worldForTests(engine, { MAX_WEBHOOKS_PER_PROJECT: '100' })
  const project = projectForTests(world)
  const hook = madeForTests(() => givenWebhook(world, project))

  const stored = (webhookId: string) =>
    world.service.deps.db.query<{ id: string; payload: string; isSigned: boolean }>(sql`
      select id, payload, is_signed as "isSigned" from inbound_submissions
      where webhook_id = ${webhookId} order by received_at, id`)
  const outcome = async (options: Parameters<typeof submit>[3], idOrSlug = hook.id, by = project) => {
    const { status, body } = await submit(world, by, idOrSlug, options)
    return status === 201 ? status : `${status} ${body.code}`
  }
  const body = JSON.stringify({ name: 'Ada' })

  describe('201', () => {
    test('stores the payload before it answers, by id and by slug', async () => {
      const own = await givenWebhook(world, project)
      const byId = await submit(world, project, own.id, { body: { name: 'Ada', age: 36 } })
      const bySlug = await submit(world, project, own.slug, { body: { name: 'Grace' } })
      expect([byId.status, bySlug.status]).toEqual([201, 201])
      expect(Date.parse(byId.body.receivedAt)).toBeGreaterThan(0)
      const rows = await stored(own.id)
      expect(rows.map(({ id }) => id)).toEqual([byId.body.id, bySlug.body.id])
      expect(JSON.parse(rows[0]?.payload ?? '')).toEqual({ name: 'Ada', age: 36 })
    })

    test('stores by slug in the webhook of the project whose key was sent, also if others have the slug', async () => {
      const owners = [await givenProject(world), await givenProject(world)]
      const hooks = await Promise.all(owners.map((owner) => givenWebhook(world, owner, { slug: 'shared' })))
      for (const _ of [1, 2])
        for (const owner of owners) expect(await outcome({ raw: body }, 'shared', owner)).toBe(201)
      for (const { id } of hooks) expect(await stored(id)).toHaveLength(2)
    })

    test('verifies over the raw bytes: whitespace, escapes, key order, a byte order mark', async () => {
      for (const raw of ['\uFEFF{"name":"a"}', '{"age":1,"name":"\\u0041"}', '\r\n {"name":"a"}\r\n ']) {
        expect(await outcome({ raw, headers: sign(hook.secret, raw) }), raw).toBe(201)
      }
    })

    test('takes several v1, parts of other schemes, any order, spaces, and capital digits', async () => {
      const time = nowSec()
      const mac = (age: number) => macOf(hook.secret, time, `{"name":"A","age":${age}}`)
      const headers = [
        `v1=${mac(0)},t=${time}`,
        `t=${time}, v0=abc, v2=${mac(1)}, v1=${mac(1)}`,
        `t=${time},v1=${'0'.repeat(64)},v1=${mac(2)}`,
        ` t=${time} , v1=${mac(3).toUpperCase()} `,
      ]
      for (const [age, header] of headers.entries()) {
        const raw = `{"name":"A","age":${age}}`
        expect(await outcome({ raw, headers: { 'x-svc-signature': header } }), header).toBe(201)
      }
    })

    test('stores what was sent, to the last digit and space', async () => {
      const own = await givenWebhook(world, project, { schema: {} })
      const sent = [
        '{"id": 700000000000000001}',
        '[0.1000000000000000055511151231257827, 1.0, 1E2, -0, 1e-7]',
        '\r\n { "b" : "\\u00e9\\/", "2": 1, "1": 2 }\n',
        '{"__proto__":{"x":9007199254740993}}',
      ]
      for (const raw of sent) expect(await outcome({ raw }, own.id), raw).toBe(201)
      expect((await stored(own.id)).map(({ payload }) => payload).sort()).toEqual(sent.toSorted())
    })

    test('holds the schema against the number that was sent', async () => {
      const own = await givenWebhook(world, project, {
        schema: { properties: { id: { maximum: 700000000000000000 } } },
      })
      expect(await outcome({ raw: '{"id":700000000000000001}' }, own.id)).toBe('422 PAYLOAD_INVALID')
      expect(await outcome({ raw: '{"id":699999999999999999}' }, own.id)).toBe(201)
    })

    test('shares a statement up to 4 MiB, which are counted in bytes', async () => {
      const { db, cache } = world.service.deps
      let statements = 0
      const store = createSubmissionStore({ db: observedDatabase(db, () => statements++), cache })
      const payload = Buffer.from(JSON.stringify('雪'.repeat(87_000)))
      const target = { keyDigest: '', webhookId: randomUUID(), version: 1 }
      const plain = { target, payload, origin: null, signature: undefined, idempotency: undefined }
      const outcomes = await Promise.all(
        Array.from({ length: 17 }, () => store({ ...plain, id: randomUUID() })),
      )
      expect(outcomes).toEqual(Array(17).fill('stale'))
      expect(statements).toBe(2)
    })

    test('two hundred at once are all stored, and counted', async () => {
      const own = await givenWebhook(world, project)
      const replies = await Promise.all(
        Array.from({ length: 200 }, (_, age) => submit(world, project, own.id, { body: { name: 'n', age } })),
      )
      expect(replies.every(({ status }) => status === 201)).toBe(true)
      expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(200)
      expect(await stored(own.id)).toHaveLength(200)
      const [count] = await world.service.deps.db.query<{ n: number }>(sql`
        select sum(count)::int as n from inbound_submission_counts where webhook_id = ${own.id}`)
      expect(count?.n).toBe(200)
    })
  })

  describe('401 SIGNATURE_INVALID', () => {
    test('a body that differs in anything', async () => {
      const headers = sign(hook.secret, body)
      for (const raw of [
        `${body}\n`,
        body.replace('A', 'B'),
        '{ "name":"Ada"}',
        '{"name":"Ada","name":"Ada"}',
      ]) {
        expect(await outcome({ raw, headers }), raw).toBe('401 SIGNATURE_INVALID')
      }
    })

    test('a header in any other form', async () => {
      const time = nowSec()
      const mac = macOf(hook.secret, time, body)
      for (const header of [
        '',
        `t=${time}`,
        `v1=${mac}`,
        `t=${time},v1=${mac}0`,
        `t=${time},v1=${mac.slice(1)}`,
        `t=${time},v1=${mac}xyz`,
        `t=${time},v1=${Buffer.from(mac, 'hex').toString('base64')}`,
        `t=${time},t=${time},v1=${mac}`,
        `t=${time};v1=${mac}`,
        `t=${time},v0=${mac}`,
        `t=${time},v1=${mac}=`,
      ]) {
        expect(await outcome({ raw: body, headers: { 'x-svc-signature': header } }), header).toBe(
          '401 SIGNATURE_INVALID',
        )
      }
    })

    test('a time that is no plain number of seconds, or further off than the tolerance', async () => {
      const now = nowSec()
      for (const time of [
        now - 320,
        now + 320,
        0,
        -1,
        '1e99',
        `${now}.5`,
        `0x${now}`,
        `0${now}`,
        '9'.repeat(20),
        now * 1000,
      ]) {
        const headers = sign(hook.secret, body, time)
        expect(await outcome({ raw: body, headers }), String(time)).toBe('401 SIGNATURE_INVALID')
      }
      for (const time of [now - 280, now + 280]) {
        expect(await outcome({ raw: body, headers: sign(hook.secret, body, time) }), String(time)).toBe(201)
      }
    })

    test('the database’s clock decides what is too old', async () => {
      const headers = sign(hook.secret, body, nowSec() - 3)
      await later(world.service, 600, async () => {
        expect(await outcome({ raw: body, headers })).toBe('401 SIGNATURE_INVALID')
      })
      expect(await outcome({ raw: body, headers })).toBe(201)
    })

    test('no signature where one is required; the secret of another webhook; the old secret', async () => {
      const strict = await givenWebhook(world, project, { requireSignature: true })
      expect(await outcome({ raw: body }, strict.id)).toBe('401 SIGNATURE_INVALID')
      expect(await outcome({ raw: body, headers: sign(hook.secret, body) }, strict.id)).toBe(
        '401 SIGNATURE_INVALID',
      )
      expect(await outcome({ raw: body, headers: sign(strict.secret, body) }, strict.id)).toBe(201)
    })
  })

  describe('409 SIGNATURE_REPLAYED', () => {
    test('the second time, however the header is written', async () => {
      const raw = '{"name":"once"}'
      const time = nowSec()
      const mac = macOf(hook.secret, time, raw)
      const send = (header: string) => outcome({ raw, headers: { 'x-svc-signature': header } })
      expect(await send(`t=${time},v1=${mac}`)).toBe(201)
      for (const header of [`t=${time},v1=${mac}`, `v1=${mac.toUpperCase()}, t=${time}`]) {
        expect(await send(header)).toBe('409 SIGNATURE_REPLAYED')
      }
    })

    test('for as long as its time is accepted, also after housekeeping', async () => {
      const { service } = world
      const raw = '{"name":"kept"}'
      const headers = sign(hook.secret, raw, nowSec() + 200)
      expect(await outcome({ raw, headers })).toBe(201)
      await later(service, 400, async () => {
        await deleteExpired(service.deps.db, defaultRetention)
        expect(await outcome({ raw, headers })).toBe('409 SIGNATURE_REPLAYED')
      })
    })

    test('of thirty at once exactly one is stored', async () => {
      const own = await givenWebhook(world, project)
      for (let round = 0; round < 5; round++) {
        const raw = `{"name":"race","age":${round}}`
        const headers = sign(own.secret, raw)
        const replies = await Promise.all(Array.from({ length: 30 }, () => outcome({ raw, headers }, own.id)))
        expect(replies.filter((one) => one === 201)).toHaveLength(1)
        expect(replies.filter((one) => one === '409 SIGNATURE_REPLAYED')).toHaveLength(29)
      }
      expect(await stored(own.id)).toHaveLength(5)
    })

    test('a refused try leaves no mark: the same signature is good once what was wrong is mended', async () => {
      const own = await givenWebhook(world, project, { acceptedOrigins: ['https://good.example'] })
      const headers = { ...sign(own.secret, '{"name":5}') }
      const origin = 'https://good.example'
      expect(await outcome({ raw: '{"name":5}', headers }, own.id)).toBe('403 ORIGIN_NOT_ALLOWED')
      expect(await outcome({ raw: '{"name":5}', headers: { ...headers, origin } }, own.id)).toBe(
        '422 PAYLOAD_INVALID',
      )
      await world.service.deps.db.execute(sql`
        update inbound_webhooks set schema = '{}', version = version + 1, deactivated_at = clock_now()
        where id = ${own.id}`)
      expect(await outcome({ raw: '{"name":5}', headers: { ...headers, origin } }, own.id)).toBe(
        '410 WEBHOOK_INACTIVE',
      )
      await world.service.deps.db.execute(
        sql`update inbound_webhooks set deactivated_at = null where id = ${own.id}`,
      )
      expect(await outcome({ raw: '{"name":5}', headers: { ...headers, origin } }, own.id)).toBe(201)
      expect(await outcome({ raw: '{"name":5}', headers: { ...headers, origin } }, own.id)).toBe(
        '409 SIGNATURE_REPLAYED',
      )
    })
  })

  describe('Idempotency-Key', () => {
    const withKey = (key: string, raw = body, by = hook) =>
      submit(world, project, by.id, { raw, headers: { 'idempotency-key': key } })

    test('the same request again gets the first answer', async () => {
      const first = await withKey('k1')
      const again = await withKey('k1')
      expect([first.status, again.status]).toEqual([201, 201])
      expect(again.body).toEqual(first.body)
    })

    test('with a new signature too, which is then used up', async () => {
      const headers = (age: number) => ({
        ...sign(hook.secret, body, nowSec() - age),
        'idempotency-key': 'k2',
      })
      const first = await submit(world, project, hook.id, { raw: body, headers: headers(9) })
      const retried = headers(8)
      const again = await submit(world, project, hook.id, { raw: body, headers: retried })
      expect(again.body).toEqual(first.body)
      const { 'idempotency-key': _, ...stolen } = retried
      expect(await outcome({ raw: body, headers: stolen })).toBe('409 SIGNATURE_REPLAYED')
    })

    test('of thirty at once one is stored, and all are told of it', async () => {
      const own = await givenWebhook(world, project)
      const replies = await Promise.all(Array.from({ length: 30 }, () => withKey('race', body, own)))
      expect(new Set(replies.map((reply) => `${reply.status} ${reply.body.id}`)).size).toBe(1)
      expect(await stored(own.id)).toHaveLength(1)
    })

    test('422 with another payload, which leaves its signature good', async () => {
      await withKey('k3')
      const raw = '{"name":"other"}'
      const headers = sign(hook.secret, raw)
      expect(await outcome({ raw, headers: { ...headers, 'idempotency-key': 'k3' } })).toBe(
        '422 IDEMPOTENCY_KEY_REUSED',
      )
      expect(await outcome({ raw, headers: { ...headers, 'idempotency-key': 'k4' } })).toBe(201)
    })

    test('a refused try leaves the key free; another webhook does not know it', async () => {
      expect((await withKey('k5', '{}')).status).toBe(422)
      expect((await withKey('k5')).status).toBe(201)
      const other = await givenWebhook(world, project)
      expect((await withKey('k5', '{"name":"x"}', other)).status).toBe(201)
    })

    test('is forgotten after 24 hours', async () => {
      const first = await withKey('k6')
      await later(world.service, 25 * 3600, async () => {
        const next = await withKey('k6', '{"name":"tomorrow"}')
        expect(next.status).toBe(201)
        expect(next.body.id).not.toBe(first.body.id)
      })
    })

    test('400 when it is no key', async () => {
      for (const key of ['', 'a b', 'x'.repeat(256), 'ä']) {
        expect(await outcome({ raw: body, headers: { 'idempotency-key': key } }), key).toBe(
          '400 VALIDATION_FAILED',
        )
      }
    })
  })

  describe('refusals', () => {
    test('404 for an unknown webhook, a deleted one, and one of another project, all alike', async () => {
      const other = await givenProject(world)
      const foreign = await givenWebhook(world, other)
      const gone = await givenWebhook(world, project)
      await world.service.deps.db.execute(
        sql`update inbound_webhooks set deleted_at = clock_now() where id = ${gone.id}`,
      )
      for (const id of [
        foreign.id,
        foreign.slug,
        gone.id,
        gone.slug,
        'nothing',
        '01900000-0000-7000-8000-000000000000',
      ]) {
        expect(await outcome({ body: { name: 'x' } }, id), id).toBe('404 WEBHOOK_NOT_FOUND')
      }
    })

    test('403 unless the Origin is on the list, character by character', async () => {
      const own = await givenWebhook(world, project, {
        acceptedOrigins: ['https://good.example', 'https://also.example:8443'],
      })
      const from = (origin?: string) =>
        outcome({ raw: body, headers: origin === undefined ? {} : { origin } }, own.id)
      expect(await from('https://good.example')).toBe(201)
      expect(await from('https://also.example:8443')).toBe(201)
      for (const origin of [
        undefined,
        '',
        'null',
        'http://good.example',
        'https://GOOD.example',
        'https://good.example/',
        'https://good.example.',
        'https://good.example:443',
        'https://good.example.evil',
        'https://sub.good.example',
        'https://also.example',
        'https://good.example, https://good.example',
      ]) {
        expect(await from(origin), String(origin)).toBe('403 ORIGIN_NOT_ALLOWED')
      }
    })

    test('415 and 400 for what is not JSON, and nothing is stored', async () => {
      const own = await givenWebhook(world, project, { schema: {} })
      for (const type of [
        'text/plain',
        'application/jsonx',
        'application/json garbage',
        'application/json, text/plain',
        'multipart/form-data',
        'application/x-www-form-urlencoded',
      ]) {
        expect(await outcome({ raw: '{}', headers: { 'content-type': type } }, own.id), type).toBe(
          '415 UNSUPPORTED_MEDIA_TYPE',
        )
      }
      expect(await outcome({ raw: '{}', headers: { 'content-encoding': 'gzip' } }, own.id)).toBe(
        '415 UNSUPPORTED_MEDIA_TYPE',
      )
      for (const raw of ['', '{', 'nope', Uint8Array.of(0x22, 0xff, 0x22)]) {
        expect(await outcome({ raw }, own.id)).toBe('400 MALFORMED_JSON')
      }
      // The schema would be checked against one of them, and a reader of the record may use the other.
      for (const raw of ['{"name":1,"name":"b"}', '[{"a":{"b":1,"\\u0062":1}}]']) {
        expect(await outcome({ raw }, own.id), raw).toBe('400 MALFORMED_JSON')
      }
      expect(await stored(own.id)).toEqual([])
    })

    test('413 above 256 KiB', async () => {
      const own = await givenWebhook(world, project, { schema: { type: 'string' } })
      const raw = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))
      expect(await outcome({ raw: raw(256 * 1024 - 1) }, own.id)).toBe(201)
      expect(await outcome({ raw: raw(256 * 1024) }, own.id)).toBe(201)
      expect(await outcome({ raw: raw(256 * 1024 + 1) }, own.id)).toBe('413 PAYLOAD_TOO_LARGE')
      expect(await outcome({ raw: raw(1024 * 1024 + 1) }, own.id)).toBe('413 PAYLOAD_TOO_LARGE')
    })

    test('422 with every problem at once, each with its place', async () => {
      const reply = await submit(world, project, hook.id, { body: { name: '', age: -1, extra: 1, 'a/b': 2 } })
      expect(reply.status).toBe(422)
      expect(reply.body.code).toBe('PAYLOAD_INVALID')
      const errors: { path: string; code: string }[] = reply.body.errors
      expect(errors.map(({ path, code }) => `${path} ${code}`).sort()).toEqual([
        '/age MINIMUM',
        '/a~1b UNKNOWN_KEY',
        '/extra UNKNOWN_KEY',
        '/name MIN_LENGTH',
      ])
    })

    test('names of object prototypes are ordinary keys', async () => {
      const own = await givenWebhook(world, project, { schema: { required: ['toString', '__proto__'] } })
      expect(await outcome({ raw: '{}' }, own.id)).toBe('422 PAYLOAD_INVALID')
      expect(await outcome({ raw: '{"toString":1,"__proto__":{"x":1}}' }, own.id)).toBe(201)
      expect(({} as Record<string, unknown>)['x']).toBeUndefined()
    })

    test('401 key, 404, 410, 403 origin, 401 signature, 415, 422, 409: each before the next', async () => {
      const { db } = world.service.deps
      const own = await givenWebhook(world, project, { acceptedOrigins: ['https://good.example'] })
      await db.execute(sql`update inbound_webhooks set deactivated_at = clock_now() where id = ${own.id}`)
      const used = sign(own.secret, body)
      const worst = {
        raw: '{',
        headers: {
          origin: 'https://evil.example',
          'x-svc-signature': 'nonsense',
          'content-type': 'text/plain',
        } as Record<string, string>,
      }
      const stranger = { ...project, key: 'garbage' }
      expect(await outcome(worst, 'nothing', stranger)).toBe('401 INVALID_API_KEY')
      expect(await outcome(worst, 'nothing')).toBe('404 WEBHOOK_NOT_FOUND')
      expect(await outcome(worst, own.id)).toBe('410 WEBHOOK_INACTIVE')
      await db.execute(sql`update inbound_webhooks set deactivated_at = null where id = ${own.id}`)
      expect(await outcome(worst, own.id)).toBe('403 ORIGIN_NOT_ALLOWED')
      worst.headers['origin'] = 'https://good.example'
      expect(await outcome(worst, own.id)).toBe('401 SIGNATURE_INVALID')
      Object.assign(worst.headers, sign(own.secret, '{'))
      expect(await outcome(worst, own.id)).toBe('415 UNSUPPORTED_MEDIA_TYPE')
      const good = { raw: body, headers: { ...used, origin: 'https://good.example' } }
      expect(await outcome(good, own.id)).toBe(201)
      await db.execute(sql`
        update inbound_webhooks set schema = '{"required":["more"]}', version = version + 1 where id = ${own.id}`)
      expect(await outcome(good, own.id)).toBe('422 PAYLOAD_INVALID')
      await db.execute(
        sql`update inbound_webhooks set schema = '{}', version = version + 1 where id = ${own.id}`,
      )
      expect(await outcome(good, own.id)).toBe('409 SIGNATURE_REPLAYED')
    })

    test('500 SECRET_UNREADABLE for the one webhook whose secret cannot be opened, and only when it is needed', async () => {
      const own = await givenWebhook(world, project)
      const { db } = world.service.deps
      const breakIt = (expression: ReturnType<typeof sql>) =>
        db.execute(
          sql`update inbound_webhooks set secret_sealed = ${expression}, version = version + 1 where id = ${own.id}`,
        )
      for (const broken of [
        sql`set_byte(secret_sealed, 20, get_byte(secret_sealed, 20) # 1)`,
        sql`substring(secret_sealed from 1 for 10)`,
        sql`(select secret_sealed from inbound_webhooks where id = ${hook.id})`,
      ]) {
        await breakIt(broken)
        expect(await outcome({ raw: body, headers: sign(own.secret, body) }, own.id)).toBe(
          '500 SECRET_UNREADABLE',
        )
        expect(await outcome({ raw: body }, own.id)).toBe(201)
      }
      expect(await outcome({ raw: '{"name":"fine"}', headers: sign(hook.secret, '{"name":"fine"}') })).toBe(
        201,
      )
    })
  })

  test('a schema that was just changed is in force for the next submission', async () => {
    const own = await givenWebhook(world, project)
    expect(await outcome({ raw: '{"colour":"red"}' }, own.id)).toBe('422 PAYLOAD_INVALID')
    await world.service.deps.db.execute(sql`
      update inbound_webhooks set schema = '{"required":["colour"]}', version = version + 1 where id = ${own.id}`)
    expect(await outcome({ raw: '{"colour":"red"}' }, own.id)).toBe(201)
    expect(await outcome({ raw: body }, own.id)).toBe('422 PAYLOAD_INVALID')
  })

  test('the path takes no more than ids and slugs', async () => {
    const reply = await call(world.url, 'POST', `/api/inbound-webhooks/${'x'.repeat(65)}/submit`, {
      key: project.key,
      body: {},
    })
    expect(reply.status).toBe(400)
  })
})
