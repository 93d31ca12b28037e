import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../client.ts'
import { engines } from '../databases.ts'
import { type GivenProject, givenProject } from '../given.ts'
import { type GivenWebhook, givenWebhook, submit } from '../given-webhook.ts'
import { adminForTests, worldForTests } from '../world-for-tests.ts'
import { csvRows } from './field.ts'

/** The number of submissions. It is large enough that several share a batch. */
const each = 60

describe.each(engines)('submissions of two projects at once, on %s', (engine) => {
  const world = worldForTests(engine, { RATE_LIMIT_GLOBAL: '0' })
  let hooks: [GivenProject, GivenWebhook][]
  const admin = adminForTests(world)
  beforeAll(async () => {
    hooks = await Promise.all(
      [1, 2].map(async () => {
        const project = await givenProject(world)
        return [project, await givenWebhook(world, project, { schema: {} })] as [GivenProject, GivenWebhook]
      }),
    )
  })

  test.each([
    ['backslashes', (n: number) => '\\'.repeat(40 + n)],
    ['octal and hexadecimal escapes', (n: number) => '\\101\\x41\\\\'.repeat(1 + n)],
    ['characters of several bytes', (n: number) => '😀é漢'.repeat(1 + n)],
    ['quotes', (n: number) => `'"`.repeat(1 + n)],
  ])('each export contains exactly its own submissions when one project sends %s', async (_what, textOf) => {
    const sent = hooks.map(([project, hook], i) =>
      Array.from({ length: each }, (_, n) => ({
        project,
        hook,
        raw: JSON.stringify({ of: hook.slug, n, text: i === 0 ? textOf(n) : 'plain' }),
      })),
    )
    const [ofA = [], ofB = []] = sent
    const turns = ofA.flatMap((one, n) => [one, ofB[n] ?? one])
    const replies = await Promise.all(
      turns.map(({ project, hook, raw }) => submit(world, project, hook.id, { raw })),
    )
    expect(replies.map(({ status }) => status)).toEqual(turns.map(() => 201))
    const ids = new Map(turns.map(({ raw }, i) => [replies[i]?.body.id as string, raw]))
    const ask = (method: string, path: string) => call(world.url, method, path, admin)
    for (const [project, hook] of hooks) {
      const path = `/api/admin/projects/${project.id}/inbound-webhooks/${hook.id}/submissions`
      const own = new Map([...ids].filter(([, raw]) => raw.includes(`"${hook.slug}"`)))
      const rows = (await csvRows({ ask }, `${path}/export`)).filter(({ id = '' }) => ids.has(id))
      expect(new Map(rows.map(({ id, payload }) => [id, payload]))).toEqual(own)
      const page = await ask('GET', `${path}?limit=${each}`)
      for (const { id, payload } of page.body.data) expect(JSON.stringify(payload)).toBe(own.get(id))
      expect(page.body.data).toHaveLength(each)
    }
  })
})
