import { createHash } from 'node:crypto'
import { openApi } from '@rolecall/contract'
import type { FastifyInstance } from 'fastify'
import { commonHeaders } from '#platform/http/responder'
import { version } from '#platform/version'
import { apiPage } from './api-page.ts'
import { errorsPage } from './errors-page.ts'
import { docsPolicy } from './layout.ts'

/** The OpenAPI document, and pages to read it and the error codes by. Everything is served from here. */
export function docsRoutes(app: FastifyInstance, publicUrl: string) {
  const headers = {
    ...commonHeaders(publicUrl),
    // The same for everyone and until the next release: kept, and asked about each time.
    'cache-control': 'no-cache',
  }
  const serve = (path: string, more: Record<string, string>, make: () => string) => {
    // Made when first asked for: a start does not wait for it.
    let made: { body: string; etag: string } | undefined
    app.get(path, (request, reply) => {
      if (!made) {
        const body = make()
        made = { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
      }
      reply.headers({ ...headers, ...more, etag: made.etag, 'x-request-id': request.id })
      if (request.headers['if-none-match'] === made.etag) return reply.code(304).send()
      return reply.send(made.body)
    })
  }
  const page = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': docsPolicy }
  const json = { 'content-type': 'application/json; charset=utf-8' }

  serve('/api/openapi.json', json, () => JSON.stringify(openApi(publicUrl, version)))
  serve('/api/docs', page, () => apiPage(publicUrl, version))
  serve('/api/docs/errors', page, errorsPage)
  app.get('/', (request, reply) =>
    reply.headers({ ...commonHeaders(publicUrl), 'x-request-id': request.id }).redirect('/api/docs'),
  )
}
