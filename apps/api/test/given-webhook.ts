import { createHmac } from 'node:crypto'
import { createWebhook } from '../src/features/webhooks/create-webhook.ts'
import { type Call, call } from './client.ts'
import type { GivenProject } from './given.ts'
import type { World } from './service.ts'

export interface GivenWebhook {
  readonly id: string
  readonly slug: string
  readonly secret: string
  readonly projectId: string
}

export const contactSchema = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 1 }, age: { type: 'integer', minimum: 0 } },
  required: ['name'],
  additionalProperties: false,
}

let webhooks = 0

/** Creates a webhook that by default accepts `{ name, age? }`. */
export const givenWebhook = (
  { service: { deps } }: World,
  project: GivenProject,
  input: Partial<Parameters<typeof createWebhook>[3]> = {},
): Promise<GivenWebhook> => {
  webhooks += 1
  return createWebhook(deps, {}, project.id, { name: `Hook ${webhooks}`, schema: contactSchema, ...input })
}

/** Returns the MAC of a time and a body, as hexadecimal digits. */
export const macOf = (secret: string, time: number | string, body: string | Uint8Array) =>
  createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')

export const nowSec = () => Math.floor(Date.now() / 1000)

/** Returns the header that signs a body. */
export const sign = (secret: string, body: string | Uint8Array, time: number | string = nowSec()) => ({
  'x-svc-signature': `t=${time},v1=${macOf(secret, time, body)}`,
})

export const submit = (world: { url: string }, project: GivenProject, idOrSlug: string, options: Call) =>
  call(world.url, 'POST', `/api/inbound-webhooks/${idOrSlug}/submit`, { key: project.key, ...options })
