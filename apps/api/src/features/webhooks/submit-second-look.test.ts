import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { tally } from '../../../test/at-once.ts'
import { mainEngines } from '../../../test/databases.ts'
import { countRows, type GivenProject, givenProject } from '../../../test/given.ts'
import { type GivenWebhook, givenWebhook, sign, submit } from '../../../test/given-webhook.ts'
import type { Service } from '../../../test/service.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { rotateSecret, updateWebhook } from './change-webhook.ts'

/**
 * An instance first checks a submission against its cached target. A rejected submission is checked again, against the
 * current target: a rule that no longer exists rejects nothing.
 */
describe.each(mainEngines)('the second look of a submission, on %s', (engine) => {
  let instances: readonly Pick<Service, 'url'>[]
  const world = worldForTests(engine, { RATE_LIMIT_GLOBAL: '0' })
  beforeAll(async () => {
    instances = engine === 'postgres' ? [world, await world.another()] : [world]
  })

  const update = ({ id, projectId }: GivenWebhook, input: Parameters<typeof updateWebhook>[3]) =>
    updateWebhook(world.service.deps, {}, { projectId, webhookId: id }, input)
  const storedFor = ({ id }: GivenWebhook) =>
    countRows(world, `inbound_submissions where webhook_id = '${id}'`)

  /** Creates a webhook with a cached target on every instance. */
  const remembered = async (input: Parameters<typeof givenWebhook>[2] = {}) => {
    const project = await givenProject(world)
    const hook = await givenWebhook(world, project, input)
    for (const [i, instance] of instances.entries()) {
      const raw = `{"name":"before","age":${i}}`
      const headers = { ...sign(hook.secret, raw), origin: 'https://old.example' }
      expect((await submit(instance, project, hook.id, { raw, headers })).status).toBe(201)
    }
    return { project, hook }
  }

  /** Submits to all instances at once, as soon as `change` is in force. */
  const submitAfter = async <T>(
    { project, hook }: { project: GivenProject; hook: GivenWebhook },
    change: () => Promise<T>,
    make: (i: number, changed: T) => { raw: string; headers: Record<string, string> },
  ) => {
    let open: (changed: T) => void = () => {}
    const barrier = new Promise<T>((resolve) => {
      open = resolve
    })
    const sending = Array.from({ length: 20 }, async (_, i) => {
      const changed = await barrier
      const instance = instances[i % instances.length] as { url: string }
      return (await submit(instance, project, hook.id, make(i, changed))).status
    })
    open(await change())
    return tally(await Promise.all(sending))
  }

  test('a submission signed with the new secret is taken at once everywhere, though the old one is remembered', async () => {
    const given = await remembered({ requireSignature: true })
    const { id, projectId } = given.hook
    const rotate = () => rotateSecret(world.service.deps, {}, { projectId, webhookId: id })
    const statuses = await submitAfter(given, rotate, (i, { secret }) => {
      const raw = `{"name":"after","age":${i}}`
      return { raw, headers: sign(secret, raw) }
    })
    expect(statuses).toEqual({ 201: 20 })
    expect(await storedFor(given.hook)).toBe(20 + instances.length)
  })

  test('one that fits only the new schema is taken, and one that fits only the old is not', async () => {
    const given = await remembered()
    const change = () => update(given.hook, { schema: { type: 'object', required: ['colour'] } })
    const statuses = await submitAfter(given, change, (i) => ({
      raw: i < 10 ? `{"colour":"red","n":${i}}` : `{"name":"after","age":${i}}`,
      headers: {},
    }))
    expect(statuses).toEqual({ 201: 10, 422: 10 })
    expect(await storedFor(given.hook)).toBe(10 + instances.length)
  })

  test('one that fits only the new schema is taken, though another one still opens the old schema', async () => {
    const project = await givenProject(world)
    const hook = await givenWebhook(world, project)
    const { schemas } = world.service.deps
    const { open } = schemas
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const opened = new Promise<void>((resolve) => {
      vi.spyOn(schemas, 'open').mockImplementationOnce(async (...terms) => {
        const schema = await open(...terms)
        resolve()
        await released
        return schema
      })
    })
    const first = submit(world, project, hook.id, { raw: '{"name":"before"}' })
    await opened
    await update(hook, { schema: { type: 'object', required: ['colour'] } })
    const second = submit(world, project, hook.id, { raw: '{"colour":"red"}' })
    await Promise.race([second, pause(500)])
    release()
    expect([(await first).status, (await second).status]).toEqual([422, 201])
  })

  test('one from an origin that was added is taken, and one from an origin that was taken off is not', async () => {
    const given = await remembered({ acceptedOrigins: ['https://old.example'] })
    const change = () => update(given.hook, { acceptedOrigins: ['https://new.example'] })
    const statuses = await submitAfter(given, change, (i) => ({
      raw: `{"name":"after","age":${i}}`,
      headers: { origin: i < 10 ? 'https://new.example' : 'https://old.example' },
    }))
    expect(statuses).toEqual({ 201: 10, 403: 10 })
    expect(await storedFor(given.hook)).toBe(10 + instances.length)
  })
})
