import { verifyEvent } from '@rolecall/sdk'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const event = {
  type: 'member.left',
  timestamp: '2026-03-01T12:00:00.000Z',
  data: { memberId: '1', note: 'Zoë ⛵' },
}
const body = JSON.stringify(event)
const id = '9312-88-t3vk9c'

/** Returns the headers as the library of Standard Webhooks makes them. */
const signed = (by: readonly string[], at = new Date()) => ({
  'webhook-id': id,
  'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}`,
  'webhook-signature': by.map((one) => new Webhook(one).sign(id, at, body)).join(' '),
})

test('what was signed by the secret is read, also beside a signature by another', async () => {
  const read = { id, type: event.type, data: event.data }
  expect(await verifyEvent({ body, headers: signed([secret]), secret })).toEqual(read)
  expect(await verifyEvent({ body, headers: signed([other, secret]), secret })).toEqual(read)
  expect(await verifyEvent({ body, headers: new Headers(signed([secret, other])), secret })).toEqual(read)
  const bytes = new TextEncoder().encode(body)
  expect(await verifyEvent({ body: bytes, headers: signed([secret]), secret })).toEqual(read)
})

test('nothing else is read', async () => {
  const headers = signed([secret])
  const seconds = (offset: number) => new Date(Date.now() + offset * 1_000)
  for (const asked of [
    { body, headers, secret: other },
    { body: body.replace('1', '2'), headers, secret },
    { body, headers: { ...headers, 'webhook-id': '9312-89-t3vk9c' }, secret },
    {
      body,
      headers: { ...headers, 'webhook-timestamp': `${Number(headers['webhook-timestamp']) + 1}` },
      secret,
    },
    { body, headers: { ...headers, 'webhook-timestamp': 'now' }, secret },
    { body, headers: { ...headers, 'webhook-signature': '' }, secret },
    { body, headers: { ...headers, 'webhook-signature': 'v1,AAAA' }, secret },
    {
      body,
      headers: { ...headers, 'webhook-signature': headers['webhook-signature'].replace('v1', 'v1a') },
      secret,
    },
    { body, headers: {}, secret },
    { body, headers: signed([secret], seconds(-301)), secret },
    { body, headers: signed([secret], seconds(302)), secret },
    { body, headers, secret, at: seconds(400) },
  ]) {
    expect(await verifyEvent(asked), JSON.stringify(asked)).toBeUndefined()
  }
})

test('a secret that is none is a mistake of the program, and is told as one', async () => {
  await expect(verifyEvent({ body, headers: signed([secret]), secret: 'rck_1' })).rejects.toThrow('whsec_')
})

test('throws a TypeError for a parsed body', async () => {
  const headers = signed([secret])
  // A program in JavaScript can pass anything.
  const withBody = (given: unknown) => ({ body: given as string, headers, secret })
  await expect(verifyEvent(withBody(event))).rejects.toThrow('Do not parse it first')
  // Anyone can send a request without a body. The parsers of Express then set one of these values.
  for (const none of [{}, undefined]) expect(await verifyEvent(withBody(none))).toBeUndefined()
})
