import { endpoints, openApi } from '@rolecall/contract'
import { describe, expect, test } from 'vitest'
import { createApp } from '../src/app.ts'
import { createLifecycle } from '../src/platform/http/lifecycle.ts'
import { isClosed, nameOf, rowsOf, type Schema, unbounded } from './requests.ts'
import { startWorld } from './service.ts'

test('every registered route is in the document, and the other way round', async () => {
  const world = await startWorld('pglite')
  const { deps, recorder } = world.service
  const app = createApp(deps, recorder, createLifecycle())
  const served = routesOf(app.printRoutes({ commonPrefix: false }))
  const { paths } = openApi('http://localhost', '0') as { paths: Record<string, Record<string, unknown>> }
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, ':id')}`),
  )
  expect(documented).toHaveLength(endpoints.length)
  expect(served.filter((route) => !aboutTheApi.test(route)).sort()).toEqual([...documented].sort())
  await world.close()
})

/** Pages about the API, which are no part of it: the front door, the document, what renders it, metrics. */
const aboutTheApi = /^GET \/($|api\/openapi\.json|api\/docs\b|metrics|console\b)/

/**
 * `METHOD /path` of each route in Fastify's drawing of its tree, four characters a level. It joins the names of
 * a parameter that routes call differently, so names do not count.
 */
function routesOf(tree: string): string[] {
  const prefixes: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods = ''] =
      /^((?:│ {3}| {4})*)[├└]── (\S*)(?: \((.*)\))?/.exec(line) ?? []
    if (part === '') return []
    const depth = indent.length / 4
    prefixes.length = depth
    prefixes[depth] = (prefixes[depth - 1] ?? '') + part
    return methods === ''
      ? []
      : methods.split(', ').map((method) => `${method} ${prefixes[depth]?.replaceAll(/:[^/]+/g, ':id')}`)
  })
}

describe('the contract', () => {
  test('every endpoint that asks nobody who they are is on this list', () => {
    expect(
      rowsOf(({ auth }) => auth === 'none')
        .map(([name]) => name)
        .sort(),
    ).toEqual([
      'GET /api/auth/admin/login',
      'GET /api/auth/authorize',
      'GET /api/auth/callback',
      'GET /api/auth/chat',
      'GET /api/auth/sso/authorize',
      'GET /api/health',
      'GET /api/health/live',
      'GET /api/health/ready',
      'POST /api/auth/admin/token',
      'POST /api/auth/sso/logout',
    ])
  })

  test('everything under /api/admin/ is for System Admins', () => {
    const others = endpoints.filter(({ path, auth }) => path.startsWith('/api/admin/') !== (auth === 'admin'))
    expect(others.map(nameOf)).toEqual([])
  })

  test('every body is closed, but for payloads that have a schema of their own', () => {
    const open = endpoints.filter((one) => one.body && !isClosed(one)).map(nameOf)
    expect(open.filter((name) => name !== 'POST /api/inbound-webhooks/{id}/submit')).toEqual([])
  })

  test.each(rowsOf(() => true))('every string and number that %s takes is bounded', (_, one) => {
    const places = [one.params, one.query, one.body].flatMap((schema) =>
      schema ? unbounded(schema as Schema) : [],
    )
    expect(places).toEqual([])
  })
})
