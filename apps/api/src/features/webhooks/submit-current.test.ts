import { describe, expect, test } from 'vitest'
import { atOnce } from '../../../test/at-once.ts'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import { countRows, type GivenProject, givenProject } from '../../../test/given.ts'
import { type GivenWebhook, givenWebhook, sign, submit } from '../../../test/given-webhook.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { digestOf } from '../../platform/crypto/tokens.ts'
import { regenerateApiKey } from '../projects/api-key.ts'
import { deleteWebhook, rotateSecret, updateWebhook } from './change-webhook.ts'

/** A target in an instance's cache has no effect once the database differs from it. */
describe.each(mainEngines)('a submission after one that was taken, on %s', (engine) => {
  const world = worldForTests(engine)

  const deps = () => world.service.deps
  const target = ({ id, projectId }: GivenWebhook) => ({ projectId, webhookId: id })
  const update = (hook: GivenWebhook, input: Parameters<typeof updateWebhook>[3]) =>
    updateWebhook(deps(), {}, target(hook), input)
  const setKey = (project: GivenProject, column: 'revoked_at' | 'expires_at') =>
    deps().db.execute({
      text: `update api_keys set ${column} = clock_now() where digest = $1`,
      values: [digestOf(project.key)],
    })
  const setProject = (project: GivenProject, column: 'deactivated_at' | 'deleted_at') =>
    deps().db.execute({
      text: `update projects set ${column} = clock_now() where id = $1`,
      values: [project.id],
    })
  const submitSigned = (project: GivenProject, hook: GivenWebhook, raw: string, idOrSlug = hook.id) =>
    submit(world, project, idOrSlug, { raw, headers: sign(hook.secret, raw) })
  const storedFor = ({ id }: GivenWebhook) =>
    countRows(world, `inbound_submissions where webhook_id = '${id}'`)

  test.each<[string, string, (project: GivenProject, hook: GivenWebhook) => Promise<unknown>]>([
    ['its key was revoked', '401 INVALID_API_KEY', (project) => setKey(project, 'revoked_at')],
    ['its key was replaced', '401 INVALID_API_KEY', (project) => regenerateApiKey(deps(), {}, project.id)],
    ['its key has expired', '401 INVALID_API_KEY', (project) => setKey(project, 'expires_at')],
    ['its project was disabled', '401 PROJECT_INACTIVE', (project) => setProject(project, 'deactivated_at')],
    ['its project was deleted', '401 INVALID_API_KEY', (project) => setProject(project, 'deleted_at')],
    ['the webhook was closed', '410 WEBHOOK_INACTIVE', (_, hook) => update(hook, { isActive: false })],
    [
      'the webhook was deleted',
      '404 WEBHOOK_NOT_FOUND',
      (_, hook) => deleteWebhook(deps(), {}, target(hook)),
    ],
    ['its secret was rotated', '401 SIGNATURE_INVALID', (_, hook) => rotateSecret(deps(), {}, target(hook))],
    [
      'origins were restricted',
      '403 ORIGIN_NOT_ALLOWED',
      (_, hook) => update(hook, { acceptedOrigins: ['https://site.example'] }),
    ],
    [
      'the schema asks for something else',
      '422 PAYLOAD_INVALID',
      (_, hook) => update(hook, { schema: { type: 'array' } }),
    ],
  ])('is refused and not stored when %s: %s', async (_, refusal, change) => {
    const project = await givenProject(world)
    const hook = await givenWebhook(world, project)
    expect((await submitSigned(project, hook, '{"name":"before"}')).status).toBe(201)
    await change(project, hook)
    const { status, body } = await submitSigned(project, hook, '{"name":"after"}')
    expect(`${status} ${body.code}`).toBe(refusal)
    expect(await storedFor(hook)).toBe(1)
  })

  test('is refused when its signature is too old by the database’s clock', async () => {
    const project = await givenProject(world)
    const hook = await givenWebhook(world, project)
    expect((await submitSigned(project, hook, '{"name":"before"}')).status).toBe(201)
    await later(world.service, 302, async () => {
      const { status, body } = await submitSigned(project, hook, '{"name":"after"}')
      expect(`${status} ${body.code}`).toBe('401 SIGNATURE_INVALID')
    })
    expect(await storedFor(hook)).toBe(1)
  })

  test('goes to the webhook that has the name now', async () => {
    const project = await givenProject(world)
    const [first, second] = [await givenWebhook(world, project), await givenWebhook(world, project)]
    expect((await submitSigned(project, first, '{"name":"a"}', first.slug)).status).toBe(201)
    await update(first, { slug: 'another-name' })
    await update(second, { slug: first.slug })
    expect((await submitSigned(project, second, '{"name":"b"}', first.slug)).status).toBe(201)
    expect([await storedFor(first), await storedFor(second)]).toEqual([1, 1])
  })

  test('that races the revocation of its key is stored and acknowledged, or neither', async () => {
    const project = await givenProject(world)
    const hook = await givenWebhook(world, project)
    await submitSigned(project, hook, '{"name":"before"}')
    const statuses = await atOnce(60, async (i) => {
      if (i === 30) return setKey(project, 'revoked_at')
      return (await submitSigned(project, hook, `{"name":"n","age":${i}}`)).status
    })
    const taken = statuses.filter((status) => status === 201).length
    expect(statuses.filter((status) => status === 401).length + taken).toBe(59)
    expect(await storedFor(hook)).toBe(1 + taken)
    expect((await submitSigned(project, hook, '{"name":"late"}')).status).toBe(401)
  })
})
