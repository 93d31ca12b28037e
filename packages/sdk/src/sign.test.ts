import { Rolecall } from '@rolecall/sdk'
import { beforeAll, expect, test } from 'vitest'
import { givenWebhook, submit } from '../../../apps/api/test/given-webhook.ts'
import { projectForTests, worldForTests } from '../../../apps/api/test/world-for-tests.ts'

const world = worldForTests('pglite')
const project = projectForTests(world)
let rolecall: Rolecall
beforeAll(async () => {
  rolecall = new Rolecall({ baseUrl: world.url, apiKey: project.key })
})

test('a submission that webhooks.sign() signed is accepted, as text and as bytes; another body is not', async () => {
  const { id, secret } = await givenWebhook(world, project, { requireSignature: true })
  const body = JSON.stringify({ name: 'Zoë ⛵' })
  const send = (signature: string, raw: string) =>
    submit(world, project, id, { raw, headers: { 'x-svc-signature': signature } })
  expect((await send(await rolecall.webhooks.sign({ body, secret }), body)).status).toBe(201)
  const at = new Date(Date.now() - 60_000)
  const bytes = new TextEncoder().encode(body)
  const signature = await rolecall.webhooks.sign({ body: bytes, secret, at })
  expect((await send(signature, '{"name":"Zoe"}')).status).toBe(401)
  expect((await send(signature, body)).status).toBe(201)
})
