import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildOnce } from '../../../../tools/build-once.js'
import { freePort } from '../../../../tools/free-port.js'
import { call } from '../client.ts'
import { emptyDatabaseForTests } from '../database-for-tests.ts'
import { mainEngines } from '../databases.ts'
import { walkAdminLogin } from '../given.ts'
import { folderForTests, simForTests } from '../process-for-tests.ts'
import { environmentFor, type ServiceProcess, startService } from './service-process.ts'

const kills = 3
const senders = 8
const schema = {
  type: 'object',
  properties: { number: { type: 'integer' } },
  required: ['number'],
  additionalProperties: false,
}

/** The final result of a sender. `id` is undefined if only a refused replay has proved that it is stored. */
interface Sent {
  readonly number: number
  readonly id: string | undefined
}

describe.each(mainEngines)('a service on %s that is killed while it takes submissions', (engine) => {
  const sim = simForTests({ headlessLogin: true })
  const folder = folderForTests('rolecall-kill-')
  const database = emptyDatabaseForTests(engine)
  let environment: Record<string, string>
  let service: ServiceProcess
  beforeAll(async () => {
    await buildOnce(() => {})
    environment = {
      ...environmentFor(sim, await freePort()),
      DATABASE_URL: database.url,
      RATE_LIMIT_GLOBAL: '0',
    }
    sim.allowRedirect(environment['CHAT_CALLBACK_URL'] as string)
    await start()
  })
  afterAll(() => service.kill('SIGKILL'))
  const start = async () => {
    service = startService(folder, environment)
    await service.listening
  }

  test('a retry under the same signature or idempotency key ends in exactly one, and every answer was true', async () => {
    const token = await walkAdminLogin({ url: service.url, sim })
    const { project, apiKey, inboundWebhook } = (
      await call(service.url, 'POST', '/api/admin/projects', {
        token,
        body: { name: 'Harbour log', inboundWebhook: { name: 'Log', schema } },
      })
    ).body
    const path = `/api/inbound-webhooks/${inboundWebhook.id}/submit`
    const sent: Sent[] = []
    let retries = 0
    let next = 0
    let isOver = false

    /** Sends a submission repeatedly, with the same headers, until its result is known. */
    const send = async (number: number): Promise<Sent> => {
      const raw = JSON.stringify({ number })
      const headers: Record<string, string> =
        number % 2 === 0 ? { 'idempotency-key': `n-${number}` } : signed(inboundWebhook.secret, raw)
      for (let attempt = 0; ; attempt++) {
        const reply = await call(service.url, 'POST', path, { key: apiKey, raw, headers }).catch(
          () => undefined,
        )
        if (reply?.status === 201) return { number, id: reply.body.id }
        if (reply?.body.code === 'SIGNATURE_REPLAYED') {
          expect(attempt, 'a first try is no replay').toBeGreaterThan(0)
          return { number, id: undefined }
        }
        if (reply) expect(reply.status).toBe(503)
        retries += 1
        await pause(50)
      }
    }
    const working = Array.from({ length: senders }, async () => {
      while (!isOver) {
        next += 1
        sent.push(await send(next))
      }
    })
    for (let kill = 0; kill < kills; kill++) {
      const before = sent.length
      await expect.poll(() => sent.length, { interval: 1 }).toBeGreaterThan(before + 5 + kill * 7)
      await service.kill('SIGKILL')
      await start()
    }
    isOver = true
    await Promise.all(working)
    expect(retries).toBeGreaterThan(0)

    const stored = await allSubmissions(service, token, project.id, inboundWebhook.id)
    const byNumber = new Map(stored.map(({ id, payload }) => [payload.number, id]))
    expect(stored.length, 'none is stored twice').toBe(byNumber.size)
    expect(byNumber.size, 'none is lost').toBe(sent.length)
    for (const { number, id } of sent) expect(byNumber.get(number)).toBe(id ?? byNumber.get(number))
  }, 120_000)
})

const signed = (secret: string, raw: string) => {
  const time = Math.floor(Date.now() / 1000)
  const mac = createHmac('sha256', secret).update(`${time}.${raw}`).digest('hex')
  return { 'x-svc-signature': `t=${time},v1=${mac}` }
}

interface Stored {
  readonly id: string
  readonly payload: { readonly number: number }
}

async function allSubmissions(service: ServiceProcess, token: string, projectId: string, webhookId: string) {
  const all: Stored[] = []
  for (let cursor = ''; ; ) {
    const path = `/api/admin/projects/${projectId}/inbound-webhooks/${webhookId}/submissions?limit=100${cursor}`
    const { data, nextCursor } = (await call(service.url, 'GET', path, { token })).body
    all.push(...data)
    if (!nextCursor) return all
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`
  }
}
