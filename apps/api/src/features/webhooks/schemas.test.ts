import { describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { givenWebhook, submit } from '../../../test/given-webhook.ts'
import { adminForTests, projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { reviewStoredSchemas } from './review-schemas.ts'

describe.each(ciEngines)('schemas of inbound webhooks on %s', (engine) => {
  const world = worldForTests(engine, { MAX_WEBHOOKS_PER_PROJECT: '100' })
  const admin = adminForTests(world)
  const project = projectForTests(world)

  const create = (raw: string) =>
    call(world.url, 'POST', `/api/admin/projects/${project.id}/inbound-webhooks`, { ...admin, raw })
  const withSchema = (schema: unknown) => create(JSON.stringify({ name: 'Hook', schema }))
  /** Stores a schema as before today's limits. */
  const store = async (schema: unknown) => {
    const hook = await givenWebhook(world, project)
    await world.service.deps.db.execute(sql`
      update inbound_webhooks set schema = ${JSON.stringify(schema)}::json, schema_limits = null,
        version = version + 1
      where id = ${hook.id}`)
    return hook
  }
  const statusOf = async (id: string, raw: string) => {
    const { status, body } = await submit(world, project, id, { raw })
    return status === 201 ? '201' : `${status} ${body.code} ${body.errors?.[0]?.code}`
  }

  test.each([
    ['quoted brackets', `\\Q[\\E${'(?:a{31}b{31}){16}'.repeat(20)}`],
    ['an empty class', `[]|${'.{1000}'.repeat(70)}`],
    ['an empty class, negated', `[^]${'(?:.{10}){100}'.repeat(30)}`],
    ['a bracket in a class', `[]a]|${'.{1000}'.repeat(70)}`],
    ['folded ranges', `(?i)[${'A-\u{1e942}'.repeat(120)}]`],
    ['Unicode classes', '\\p{L}{1000}'],
  ])('400 naming the place of a pattern that hides its size behind %s', async (_, pattern) => {
    const reply = await withSchema({ properties: { a: { patternProperties: { [pattern]: {} } } } })
    expect([reply.status, reply.body.code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(reply.body.errors).toHaveLength(1)
    expect(reply.body.errors[0].path).toMatch(/^\/schema\/properties\/a\/patternProperties\//)
  })

  test('400 naming the place of a number that the schema could not be kept with, or a key that is there twice', async () => {
    const reply = await create('{"name":"Hook","schema":{"properties":{"id":{"const":700000000000000001}}}}')
    expect([reply.status, reply.body.code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(reply.body.errors).toMatchObject([{ path: '/schema/properties/id/const' }])
    const twice = await create('{"name":"Hook","schema":{"minimum":1,"minimum":2}}')
    expect([twice.status, twice.body.code]).toEqual([400, 'MALFORMED_JSON'])
  })

  test('what is costly, within the limits, is taken and in force', async () => {
    const pattern = (i: number) => ({ pattern: `^[a-z]{0,450}${i}` })
    const reply = await withSchema({ allOf: Array.from({ length: 10 }, (_, i) => pattern(i)) })
    expect(reply.status).toBe(201)
    expect(await statusOf(reply.body.id, '"a0"')).toBe('422 PAYLOAD_INVALID PATTERN')
    expect(await statusOf(reply.body.id, '5')).toBe('201')
  })

  test('429 for a project that has the maximum number of costly schemas waiting', async () => {
    const costly = { allOf: Array.from({ length: 12 }, (_, i) => ({ pattern: `^[a-z]{0,450}${i}` })) }
    const { schemas } = world.service.deps
    let isAnswered = false
    // Two more checks than places. A place is free for a moment when a check ends, and the request may take it.
    const others = Array.from({ length: 12 }, async () => {
      while (!isAnswered) await schemas.check(project.id, costly).catch(() => new Promise(setImmediate))
    })
    let refused = await withSchema(costly)
    for (let tries = 0; tries < 20 && refused.status !== 429; tries++) refused = await withSchema(costly)
    isAnswered = true
    const { status, body, headers } = refused
    expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '1'])
    await Promise.all(others)
  })

  test('what was stored under other limits stays in force, and is told by id at start until it is smaller', async () => {
    const large = await store({ pattern: '^(a{31}){32}(b{31}){32}(c{31}){32}' })
    const fine = await store({ pattern: '^a' })
    expect(await statusOf(large.id, '"b"')).toBe('422 PAYLOAD_INVALID PATTERN')
    expect(await statusOf(large.id, '5')).toBe('201')

    const start = async () => {
      const told: unknown[] = []
      const warn = (facts: object) => told.push(facts)
      await reviewStoredSchemas({ ...world.service.deps, log: { warn } })
      return told
    }
    expect(await start()).toMatchObject([{ webhookId: large.id }])
    expect(await start()).toMatchObject([{ webhookId: large.id }])
    const path = `/api/admin/projects/${project.id}/inbound-webhooks/${large.id}`
    // A new name does not affect the schema.
    expect((await call(world.url, 'PATCH', path, { ...admin, body: { name: 'Renamed' } })).status).toBe(200)
    expect(await start()).toMatchObject([{ webhookId: large.id }])
    expect((await call(world.url, 'PATCH', path, { ...admin, body: { schema: {} } })).status).toBe(200)
    expect(await start()).toEqual([])
    expect(await statusOf(fine.id, '"b"')).toBe('422 PAYLOAD_INVALID PATTERN')
  })

  test('a schema that no worker can compile refuses payloads with 422, and delays no other request', async () => {
    const patterns = Array.from({ length: 100 }, (_, i) => ({
      pattern: `(${'abcdefgh'.repeat(55)}${i}){1000}`,
    }))
    const endless = await store({ allOf: patterns })
    const other = await givenWebhook(world, project)
    const waiting = statusOf(endless.id, '"a"')
    // The response arrives while the other payload is being tried; otherwise both would wait for each other.
    let isTried = false
    const tried = waiting.then(() => {
      isTried = true
    })
    expect(await statusOf(other.id, '{"name":"Ada"}')).toBe('201')
    expect(isTried).toBe(false)
    await tried
    expect(await waiting).toBe('422 PAYLOAD_INVALID TOO_COSTLY')
    expect(await statusOf(endless.id, '"a"')).toBe('422 PAYLOAD_INVALID TOO_COSTLY')
  })
})
