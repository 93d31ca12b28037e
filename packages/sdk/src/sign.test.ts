import { Rolecall } from '@rolecall/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GivenProject, givenProject } from '../../../apps/api/test/given.ts'
import { givenWebhook, submit } from '../../../apps/api/test/given-webhook.ts'
import { startWorld, type World } from '../../../apps/api/test/service.ts'

let world: World
let project: GivenProject
let rolecall: Rolecall
beforeAll(async () => {
  world = await startWorld('pglite')
  project = await givenProject(world)
  rolecall = new Rolecall({ baseUrl: world.url, apiKey: project.key })
})
afterAll(() => world.close())

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
