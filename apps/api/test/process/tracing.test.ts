import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../tools/free-port.js'
import { call } from '../client.ts'
import { copyTemplate } from '../databases.ts'
import { authorizePath, redirectUri, validate, walkAdminLogin, walkLogin } from '../given.ts'
import { folderForTests, simForTests } from '../process-for-tests.ts'
import { credentialsIn } from '../secrets.ts'
import { environmentFor, startService } from './service-process.ts'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

/** Tests the complete payload of traces, as a collector receives it. */
describe('traces', { timeout: 90_000 }, () => {
  const sim = simForTests({ headlessLogin: true })
  const folder = folderForTests('rolecall-traces-')
  let collector: Server
  const received: string[] = []
  beforeAll(async () => {
    await copyTemplate(join(folder, 'data'))
    collector = createServer(async (request, response) => {
      if (request.url === '/v1/traces') received.push(await text(request))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    }).listen(0, '127.0.0.1')
    await once(collector, 'listening')
  })
  afterAll(async () => {
    collector.close()
  })

  test('a request continues the caller’s trace, with its route, statements and questions to the platform', async () => {
    const port = await freePort()
    const environment = environmentFor(sim, port)
    sim.allowRedirect(environment['CHAT_CALLBACK_URL'] as string)
    const service = startService(folder, {
      ...environment,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    })
    await service.listening
    const token = await walkAdminLogin({ url: service.url, sim }, demo.users.mara)
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
    await call(service.url, 'GET', '/api/admin/projects?name=x', { token, headers })
    const { body } = await call(service.url, 'POST', '/api/admin/projects', {
      token,
      body: { name: 'Traced' },
    })
    const project = { id: body.project.id, key: body.apiKey }
    await call(service.url, 'PATCH', `/api/admin/projects/${project.id}/redirect-uri`, {
      token,
      body: { redirectUri },
    })
    const end = await walkLogin({ url: service.url, sim }, authorizePath(project.id))
    const session = await call(service.url, 'POST', '/api/auth/token', {
      key: project.key,
      body: { clientId: project.id, code: end.searchParams.get('code'), redirectUri },
    })
    expect((await validate(service, project, session.body.token)).status).toBe(200)
    await call(service.url, 'POST', '/api/auth/logout', {
      key: 'no-key',
      body: {},
      headers: { traceparent: 'garbage' },
    })
    // The service sends the remaining traces when it ends.
    expect(await service.kill('SIGTERM')).toBe(0)

    const spans = received.flatMap((body) =>
      (JSON.parse(body).resourceSpans as { scopeSpans: { spans: Span[] }[] }[]).flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap((one) => one.spans),
      ),
    )
    const named = (name: string) => spans.filter((span) => span.name === name)
    const attribute = (span: Span | undefined, key: string) => {
      const value = span?.attributes.find((one) => one.key === key)?.value
      return value?.stringValue ?? value?.intValue
    }
    const [request] = named('GET /api/admin/projects')
    expect(request).toMatchObject({ traceId, parentSpanId: '00f067aa0ba902b7' })
    expect(attribute(request, 'http.response.status_code')).toBe(200)
    const statements = spans.filter((span) => span.parentSpanId === request?.spanId)
    expect(statements.map((span) => attribute(span, 'db.query.text')).join()).toContain('from projects')

    const [callback] = named('GET /api/auth/callback')
    expect(named('chat identify').map(({ traceId: one }) => one)).toContain(callback?.traceId)
    // The hot path bypasses the framework, but must appear in the traces, too. It responds from memory, or after a
    // statement for many requests, which belongs to no trace.
    const [validated] = named('POST /api/auth/validate')
    expect(attribute(validated, 'http.response.status_code')).toBe(200)
    const [exchanged] = named('POST /api/auth/token')
    expect(spans.filter((span) => span.parentSpanId === exchanged?.spanId)).not.toEqual([])

    const [refused] = named('POST /api/auth/logout')
    expect(attribute(refused, 'http.response.status_code')).toBe(401)
    expect(refused?.traceId).not.toBe(traceId)

    const sent = received.join()
    expect(credentialsIn(sent)).toEqual([])
    for (const secret of ['no-key', demo.users.mara, project.id, environment['CHAT_BOT_TOKEN'] as string]) {
      expect(sent).not.toContain(secret)
    }
  })
})
