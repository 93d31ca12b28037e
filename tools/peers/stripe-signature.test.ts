import Stripe from 'stripe'
import { expect, test } from 'vitest'
import { givenProject } from '../../apps/api/test/given.ts'
import { givenWebhook, submit } from '../../apps/api/test/given-webhook.ts'
import { worldForTests } from '../../apps/api/test/world-for-tests.ts'

const world = worldForTests('pglite')

test('an inbound webhook accepts a signature header that Stripe’s own library made', async () => {
  const project = await givenProject(world)
  const hook = await givenWebhook(world, project)
  const raw = '{ "name" : "Zo\\u00eb",\r\n\t"age": 1 }'
  const header = Stripe.webhooks.generateTestHeaderString({ payload: raw, secret: hook.secret })
  const answer = await submit(world, project, hook.id, { raw, headers: { 'x-svc-signature': header } })
  expect(answer.status).toBe(201)
})
