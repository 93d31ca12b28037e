import { createHmac, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { ask, describeWithMembers, givenProject, logInAsAdmin, type Project, type Sent } from './service.ts'

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name'],
  additionalProperties: false,
}

interface Webhook {
  readonly id: string
  readonly slug: string
  readonly secret: string
}

describeWithMembers('POST /api/inbound-webhooks/{id}/submit', () => {
  let token: string
  let project: Project
  let webhook: Webhook
  beforeAll(async () => {
    token = await logInAsAdmin()
    project = await givenProject(token)
    webhook = await givenWebhook()
  })
  const path = () => `/api/admin/projects/${project.id}/inbound-webhooks`
  const givenWebhook = async (more: object = {}): Promise<Webhook> => {
    const { status, text, body } = await ask('POST', path(), {
      token,
      body: { name: `Hook ${randomUUID()}`, schema, ...more },
    })
    expect(status, text).toBe(201)
    return body
  }
  const submit = (id: string, sent: Sent = { body: { name: 'Ada' } }, key = project.key) =>
    ask('POST', `/api/inbound-webhooks/${id}/submit`, { key, ...sent })
  const signed = (secret: string, raw: string, time = Math.floor(Date.now() / 1_000)): Sent => {
    const mac = createHmac('sha256', secret).update(`${time}.${raw}`).digest('hex')
    return { raw, headers: { 'x-svc-signature': `t=${time},v1=${mac}` } }
  }

  test('201: accepted, by the id and by the slug, and kept', async () => {
    for (const id of [webhook.id, webhook.slug]) {
      const { status, body } = await submit(id)
      expect([status, body]).toEqual([201, { id: expect.any(String), receivedAt: expect.any(String) }])
    }
    const { body } = await ask('GET', `${path()}/${webhook.id}/submissions`, { token })
    expect(body.data[0]).toMatchObject({ payload: { name: 'Ada' } })
  })

  test('422: every field of the payload that its schema refuses, at once', async () => {
    const { status, body } = await submit(webhook.id, { body: { name: 1, age: 'x', more: true } })
    expect([status, body.code]).toEqual([422, 'PAYLOAD_INVALID'])
    expect(body.errors.map((one: { path: string }) => one.path).toSorted()).toEqual([
      '/age',
      '/more',
      '/name',
    ])
  })

  test('403 from an origin that is not on its list; a listed one is accepted', async () => {
    const { id } = await givenWebhook({ acceptedOrigins: ['https://forms.example'] })
    const from = async (origin?: string) =>
      (await submit(id, { body: { name: 'Ada' }, ...(origin && { headers: { origin } }) })).status
    expect([await from('https://forms.example'), await from('https://evil.example'), await from()]).toEqual([
      201, 403, 403,
    ])
  })

  test('404 where this project has no such webhook: unknown, or another project’s', async () => {
    const other = await givenProject(token)
    for (const answer of [await submit(randomUUID()), await submit(webhook.id, undefined, other.key)]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'WEBHOOK_NOT_FOUND'])
    }
  })

  test('410 while it is inactive', async () => {
    const { id } = await givenWebhook()
    await ask('PATCH', `${path()}/${id}`, { token, body: { isActive: false } })
    expect((await submit(id)).status).toBe(410)
  })

  describe('a signature', () => {
    test('of the raw body is accepted once; the same again is 409', async () => {
      const sent = signed(webhook.secret, '{ "name": "signed" }')
      expect((await submit(webhook.id, sent)).status).toBe(201)
      const again = await submit(webhook.id, sent)
      expect([again.status, again.body.code]).toEqual([409, 'SIGNATURE_REPLAYED'])
    })

    test('that is wrong, malformed or too old is 401', async () => {
      const raw = '{"name":"Ada"}'
      const old = Math.floor(Date.now() / 1_000) - 301
      for (const sent of [
        signed('another secret', raw),
        signed(webhook.secret, raw, old),
        { ...signed(webhook.secret, raw), raw: '{"name":"Eve"}' },
        { raw, headers: { 'x-svc-signature': 'v1=zz' } },
      ]) {
        const { status, body } = await submit(webhook.id, sent)
        expect([status, body.code]).toEqual([401, 'SIGNATURE_INVALID'])
      }
    })
  })
})
