import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { givenProject } from '../../apps/api/test/given.ts'
import { givenWebhook, submit } from '../../apps/api/test/given-webhook.ts'
import { startWorld, type World } from '../../apps/api/test/service.ts'

let world: World
beforeAll(async () => {
  world = await startWorld('pglite')
})
afterAll(() => world?.close())

test('an inbound webhook accepts a signature header that Stripe’s own library made', async () => {
  const project = await givenProject(world)
  const hook = await givenWebhook(world, project)
  const raw = '{ "name" : "Zo\\u00eb",\r\n\t"age": 1 }'
  const header = Stripe.webhooks.generateTestHeaderString({ payload: raw, secret: hook.secret })
  const answer = await submit(world, project, hook.id, { raw, headers: { 'x-svc-signature': header } })
  expect(answer.status).toBe(201)
})
