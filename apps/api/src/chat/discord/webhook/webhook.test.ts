import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { demo, type Fault } from '@rolecall/chat-sim'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../../../tools/free-port.js'
import { simForTests } from '../../../../test/process-for-tests.ts'
import type { ChatMessage } from '../../chat-webhook.ts'
import { postToDiscordWebhook } from './webhook.ts'

const message: ChatMessage = {
  title: 'API key revoked',
  text: 'The API key of Site was revoked.',
  footer: 'Site',
  at: new Date('2026-02-01T00:00:00Z'),
  tone: 'warning',
}
const never = new AbortController().signal

describe('posting to a webhook of the simulated platform', () => {
  const sim = simForTests()
  afterEach(() => sim.reset())

  const post = (more: Partial<ChatMessage> = {}, token: string = demo.webhook.token) =>
    postToDiscordWebhook(`${sim.apiUrl}/webhooks/${demo.webhook.id}/${token}`, { ...message, ...more }, never)

  test('a message arrives as one embed, and mentions no member', async () => {
    expect(await post()).toMatchObject({ outcome: 'delivered', status: 200 })
    expect(sim.inbox.messages()).toMatchObject([
      {
        body: {
          embeds: [
            {
              title: message.title,
              description: message.text,
              timestamp: '2026-02-01T00:00:00.000Z',
              footer: { text: 'Site' },
            },
          ],
          allowed_mentions: { parse: [] },
        },
      },
    ])
  })

  test.each([
    ['letters', 'a'],
    ['what must be escaped', '*'],
    ['pairs of surrogates', '😀'],
    ['one and pairs', 'a😀'],
  ])('texts of any length made of %s fit the limits of the platform', async (_, unit) => {
    const long = unit.repeat(7_000)
    expect(await post({ title: long, text: long, footer: long })).toMatchObject({ outcome: 'delivered' })
    expect(sim.inbox.messages()[0]?.body.embeds?.[0]?.description).toMatch(/…$/)
    expect(sim.journal.entries('webhook')[0]?.body.isWellFormed?.() ?? true).toBe(true)
  })

  test.each<[string, Fault, object]>([
    ['404', { status: 404, code: 10_015 }, { outcome: 'gone', error: 'Discord returned status 404 10015.' }],
    ['401', { status: 401, code: 50_027 }, { outcome: 'gone', error: 'Discord returned status 401 50027.' }],
    ['403 with the code of an unknown webhook', { status: 403, code: 10_015 }, { outcome: 'gone' }],
    ['403', { status: 403, code: 50_013 }, { outcome: 'failed', status: 403 }],
    ['400', { status: 400, code: 50_035 }, { outcome: 'refused' }],
    ['400 of a proxy', { status: 400, html: true }, { outcome: 'failed' }],
    ['429', { status: 429, retryAfterSec: 1.5 }, { outcome: 'limited', pauseMs: 2_000, isGlobal: false }],
    ['429 for all', { status: 429, retryAfterSec: 3, global: true }, { outcome: 'limited', isGlobal: true }],
    ['429 without a time', { status: 429, headerless: true }, { outcome: 'limited', pauseMs: undefined }],
    ['429 of the edge', { status: 429, plain1015: true }, { outcome: 'limited', isGlobal: true }],
    ['500', { status: 500 }, { outcome: 'failed', status: 500 }],
    ['503 of a proxy', { status: 503, html: true }, { outcome: 'failed', status: 503 }],
    ['a cut connection', { reset: true }, { outcome: 'failed', error: 'The receiver could not be reached.' }],
    ['an answer that is cut', { truncate: 'cut' }, { outcome: 'delivered' }],
    ['half an answer', { truncate: true }, { outcome: 'delivered' }],
    ['another content type', { contentType: 'text/html' }, { outcome: 'delivered' }],
  ])('%s is told as what it is', async (_, fault, told) => {
    sim.failNext('webhook', fault)
    expect(await post()).toMatchObject(told)
  })

  test('a wrong token and a deleted webhook are gone', async () => {
    expect(await post({}, 'wrong')).toMatchObject({ outcome: 'gone', status: 401 })
    sim.world.deleteWebhook(demo.webhook.id)
    expect(await post()).toMatchObject({ outcome: 'gone', status: 404 })
  })

  test('the last message of a window says how long to wait', async () => {
    sim.rateLimits.setLimit('webhook', { limit: 2, perMs: 2_000 })
    expect((await post()).pauseMs).toBeUndefined()
    const { pauseMs = 0 } = await post()
    expect(pauseMs).toBeGreaterThan(1_000)
    expect(pauseMs).toBeLessThanOrEqual(2_000)
  })

  test('hanging up is no failure', async () => {
    const hangUp = new AbortController()
    sim.failNext('webhook', { delayMs: 10_000 })
    const posting = postToDiscordWebhook(
      `${sim.apiUrl}/webhooks/${demo.webhook.id}/${demo.webhook.token}`,
      message,
      hangUp.signal,
    )
    await expect.poll(() => sim.journal.count('webhook')).toBe(1)
    hangUp.abort()
    expect(await posting).toMatchObject({ outcome: 'aborted' })
  })
})

describe('posting to something that is no webhook', () => {
  let reply: (req: IncomingMessage, res: ServerResponse) => void
  const paths: string[] = []
  const server = createServer((req, res) => {
    paths.push(req.url ?? '')
    reply(req, res)
  })
  let url: string
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  test('a redirect is not followed', async () => {
    reply = (_, res) => res.writeHead(307, { location: `${url}/elsewhere` }).end()
    expect(await postToDiscordWebhook(`${url}/hook`, message, never)).toMatchObject({
      outcome: 'failed',
      status: 307,
    })
    expect(paths).toEqual(['/hook?wait=true'])
  })

  test('an endless answer is not read to its end', async () => {
    let sent = 0
    reply = (_, res) => {
      res.writeHead(500)
      const more = () => {
        while (!res.destroyed && res.write(Buffer.alloc(16_384))) sent += 16_384
      }
      res.on('drain', more)
      more()
    }
    expect(await postToDiscordWebhook(`${url}/hook`, message, never)).toMatchObject({ outcome: 'failed' })
    expect(sent).toBeLessThan(16 * 1024 * 1024)
  })

  test('a server that does not respond is given up after 5 seconds', async () => {
    reply = () => {}
    const begun = performance.now()
    expect(await postToDiscordWebhook(`${url}/hook`, message, never)).toMatchObject({
      outcome: 'failed',
      error: 'No response within 5 s.',
    })
    expect(performance.now() - begun).toBeLessThan(8_000)
  })

  test('an unreachable server is reported without its address', async () => {
    const closed = `http://127.0.0.1:${await freePort()}/hook`
    expect(await postToDiscordWebhook(closed, message, never)).toEqual({
      outcome: 'failed',
      status: null,
      error: 'The receiver could not be reached.',
    })
  })
})
