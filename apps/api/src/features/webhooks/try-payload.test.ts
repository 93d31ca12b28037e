import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { countRows, givenProject } from '../../../test/given.ts'
import { type GivenWebhook, givenWebhook, submit } from '../../../test/given-webhook.ts'
import { adminForTests, projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

describe('trying a payload', () => {
  const world = worldForTests('pglite', { PERMISSION_TTL_MS: '3600000' })
  let hook: GivenWebhook
  const admin = adminForTests(world)
  const project = projectForTests(world)
  beforeAll(async () => {
    hook = await givenWebhook(world, project)
  })

  const path = (id = hook.id) => `/api/admin/projects/${project.id}/inbound-webhooks/${id}/try`
  const tried = async (body: object) => (await call(world.url, 'POST', path(), { ...admin, body })).body

  test.each([
    '{"name":"Ada","age":3}',
    '{"name":"","age":-1,"more":1}',
    '[]',
    '{"name":"Ada","age":1e400}',
    '{"name":"Ada","name":"Bo"}',
    '{"name":',
    '',
  ])('says of %s what a submission says, and stores nothing', async (payload) => {
    const { valid, errors } = await tried({ payload })
    expect(await countRows(world, 'inbound_submissions')).toBe(0)
    const real = await submit(world, project, hook.id, { raw: payload })
    await world.service.deps.db.script('delete from inbound_submissions')
    expect(valid).toBe(real.status === 201)
    if (real.body.errors) expect(errors).toEqual(real.body.errors)
    else expect(errors.map(({ code }: { code: string }) => code)).toEqual(valid ? [] : [real.body.code])
  })

  test('holds it against a draft, and tells what is wrong with the draft by its place', async () => {
    const payload = '{"name":"Ada"}'
    expect(await tried({ payload, schema: { required: ['age'] } })).toMatchObject({
      valid: false,
      errors: [{ path: '/age' }],
    })
    const { errors } = await tried({ payload, schema: { type: 'nonsense' } })
    expect(errors[0].path).toBe('/schema/type')
    expect((await tried({ payload })).valid).toBe(true)
  })

  test('of a webhook of another project is 404', async () => {
    const other = await givenWebhook(world, await givenProject(world))
    const reply = await call(world.url, 'POST', path(other.id), { ...admin, body: { payload: '{}' } })
    expect(reply.body.code).toBe('WEBHOOK_NOT_FOUND')
  })
})
