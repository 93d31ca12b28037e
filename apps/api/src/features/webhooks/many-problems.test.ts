import { describe, expect, test } from 'vitest'
import { atOnce } from '../../../test/at-once.ts'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { givenAdmin } from '../../../test/given.ts'
import { givenWebhook, submit } from '../../../test/given-webhook.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

const maxBytes = 64 * 1024
/** Builds the levels of a payload, each under a key of the maximum length that an error shows. */
const levels = 60
const key = 'k'.repeat(100)

/** A schema that rejects each item of the innermost list, under the longest path that an error shows. */
const schema = {
  $ref: '#/$defs/level',
  $defs: { level: { properties: { [key]: { $ref: '#/$defs/level' }, list: { items: { type: 'string' } } } } },
}
const payload = (items: number) =>
  `${`{"${key}":`.repeat(levels)}{"list":[${Array(items).fill('1').join(',')}]}${'}'.repeat(levels)}`

describe.each(ciEngines)('a submission with many problems, on %s', (engine) => {
  const world = worldForTests(engine, { RATE_LIMIT_GLOBAL: '0' })
  const project = projectForTests(world)
  const hook = madeForTests(() => givenWebhook(world, project, { schema }))

  test('gets the first of them in an answer of at most 64 KiB, and how many more were found', async () => {
    for (const items of [20, 400, 2_000]) {
      const { status, text, body } = await submit(world, project, hook.id, { raw: payload(items) })
      expect(status).toBe(422)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes)
      expect(body.errors.length).toBeGreaterThan(5)
      expect(body.errors.length + body.more).toBeLessThanOrEqual(items)
      expect(body.more).toBeGreaterThan(0)
      expect(body.errors[0].path.endsWith('/list/0')).toBe(true)
    }
  })

  test('is answered in little time also twenty times at once', async () => {
    const before = process.cpuUsage()
    const replies = await atOnce(20, () => submit(world, project, hook.id, { raw: payload(2_000) }))
    const { user } = process.cpuUsage(before)
    for (const { status, text } of replies) {
      expect([status, Buffer.byteLength(text) <= maxBytes]).toEqual([422, true])
    }
    // Some 20 MB of errors took seconds.
    expect(user / 1_000).toBeLessThan(2_000)
  })

  test('has no `more` where all of them are listed', async () => {
    const { body } = await submit(world, project, hook.id, { raw: '{"list":[1,2]}' })
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(['/list/0', '/list/1'])
    expect(body).not.toHaveProperty('more')
  })

  test('is tried in the console within the same size', async () => {
    const path = `/api/admin/projects/${project.id}/inbound-webhooks/${hook.id}/try`
    const reply = await call(world.url, 'POST', path, {
      token: await givenAdmin(world),
      body: { payload: payload(400) },
    })
    expect(reply.status).toBe(200)
    expect(Buffer.byteLength(reply.text)).toBeLessThanOrEqual(maxBytes)
    expect(reply.body).toMatchObject({ valid: false, more: expect.any(Number) })
  })

  test('a request with a hundred thousand unknown keys is refused within the same size', async () => {
    const body = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`${i}${'é'.repeat(90)}`, 1]))
    const reply = await call(world.url, 'POST', '/api/auth/validate', {
      key: project.key,
      raw: JSON.stringify(body)
        .slice(0, 60_000)
        .replace(/,[^,]*$/, '}'),
    })
    expect([400, 413]).toContain(reply.status)
    expect(Buffer.byteLength(reply.text)).toBeLessThanOrEqual(maxBytes)
  })
})
