import { errors, openApi } from '@rolecall/contract'
import type { FastifyInstance } from 'fastify'
import { page, pageHeaders } from '#platform/http/page'
import { commonHeaders } from '#platform/http/responder'
import { version } from '../../version.ts'

/** The OpenAPI document, and pages to read it and the error codes by. Everything is served from here. */
export function docsRoutes(app: FastifyInstance, publicUrl: string) {
  const document = JSON.stringify(openApi(publicUrl, version))
  const common = commonHeaders(publicUrl)
  const html = { ...common, ...pageHeaders }
  app.get('/api/openapi.json', (_request, reply) =>
    reply.headers({ ...common, 'content-type': 'application/json; charset=utf-8' }).send(document),
  )
  app.get('/api/docs/errors', (_request, reply) => reply.headers(html).send(errorsPage()))
}

function errorsPage() {
  const rows = Object.entries(errors).map(([code, { status, title }]) => `${code} (${status}): ${title}`)
  return page('Error codes', rows)
}
