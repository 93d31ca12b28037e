import { bodyLimitOf, endpoints, openApi } from '@rolecall/contract'
import { describe, expect, test } from 'vitest'
import { createApp } from '../src/app.ts'
import { createLifecycle } from '../src/platform/http/lifecycle.ts'
import { branchesOf, isClosed, nameOf, propertiesOf, rowsOf, type Schema, unbounded } from './requests.ts'
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

/**
 * What is no part of the API: pages about it (the front door, the document, what renders it, metrics), and OpenID Connect,
 * whose standards and discovery document say what it takes and answers.
 */
const aboutTheApi =
  /^(GET \/($|api\/openapi\.json|api\/docs\b|metrics|console\b)|(GET|POST|OPTIONS) \/(oidc\/|device\b|\.well-known\/o))/

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
      : methods
          .split(', ')
          // Wherever there is GET there is HEAD, and it says nothing of its own.
          .filter((method) => method !== 'HEAD')
          .map((method) => `${method} ${prefixes[depth]?.replaceAll(/:[^/]+/g, ':id')}`)
  })
}

describe('the contract', () => {
  test('every endpoint that asks nobody who they are is on this list', () => {
    expect(
      rowsOf(({ auth }) => auth === 'none')
        .map(([name]) => name)
        .sort(),
    ).toEqual([
      'GET /_rolecall/callback',
      'GET /_rolecall/denied',
      'GET /_rolecall/logout',
      'GET /_rolecall/start',
      'GET /account',
      'GET /account/data',
      'GET /account/log-out',
      'GET /api/auth/admin/login',
      'GET /api/auth/authorize',
      'GET /api/auth/callback',
      'GET /api/auth/chat',
      'GET /api/auth/sso/authorize',
      'GET /api/forward-auth',
      'GET /api/health',
      'GET /api/health/live',
      'GET /api/health/ready',
      'POST /_rolecall/logout',
      'POST /account/consents/{projectId}/withdraw',
      'POST /account/log-out',
      'POST /account/log-out-everywhere',
      'POST /account/sessions/{sessionId}/end',
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

  test('every endpoint that is not limited is on this list, and says why', () => {
    const unlimited = rowsOf((one) => one.unlimited !== undefined)
    expect(unlimited.map(([name]) => name).sort()).toEqual([
      'GET /api/forward-auth',
      'GET /api/health',
      'GET /api/health/live',
      'GET /api/health/ready',
    ])
    for (const [name, { unlimited: reason }] of unlimited) expect(reason, name).toMatch(/^[A-Z].{30,}\.$/)
  })

  test('credentials come in bodies of 4 KiB at most, and only what is listed takes more than 16 KiB', () => {
    const takes = (least: number) => rowsOf((one) => one.method !== 'GET' && bodyLimitOf(one) > least)
    const credentials = /^POST \/api\/auth\/(token|token\/refresh|validate|logout|logout-all|admin\/token)$/
    expect(takes(4 * 1024).filter(([name]) => credentials.test(name))).toEqual([])
    expect(
      takes(16 * 1024)
        .map(([name, one]) => `${name} ${bodyLimitOf(one) / 1024} KiB`)
        .sort(),
    ).toEqual([
      'PATCH /api/admin/projects/{id} 64 KiB',
      'PATCH /api/admin/projects/{id}/redirect-uri 128 KiB',
      'PATCH /api/admin/projects/{projectId}/inbound-webhooks/{webhookId} 128 KiB',
      'PATCH /api/inbound-webhooks/{id} 128 KiB',
      'POST /api/admin/projects 128 KiB',
      'POST /api/admin/projects/{projectId}/inbound-webhooks 128 KiB',
      'POST /api/admin/projects/{projectId}/inbound-webhooks/{webhookId}/try 256 KiB',
      'POST /api/inbound-webhooks 128 KiB',
      'POST /api/inbound-webhooks/{id}/submit 1024 KiB',
      'POST /api/servers/{serverId}/permissions/check-many 64 KiB',
    ])
  })

  // The check of sizes, which goes before the validator, relies on both.
  test.each(rowsOf(() => true))(
    'every list that %s takes is bounded, and no union has two objects',
    (_, one) => {
      const walk = (schema: Schema): string[] => {
        const objects = branchesOf(schema).filter(({ type }) => type === 'object' || type === 'array')
        const own = objects.some(({ type, maxItems }) => type === 'array' && maxItems === undefined)
        return [
          ...(own ? ['a list without maxItems'] : []),
          ...(new Set(objects.map(({ type }) => type)).size < objects.length ? ['a union'] : []),
          ...objects.flatMap((branch) => [
            ...propertiesOf(branch).flatMap(([, property]) => walk(property)),
            ...(branch.items ? walk(branch.items) : []),
          ]),
        ]
      }
      expect(
        [one.params, one.query, one.body].flatMap((schema) => (schema ? walk(schema as Schema) : [])),
      ).toEqual([])
    },
  )

  test.each(rowsOf(() => true))('every string and number that %s takes is bounded', (_, one) => {
    const places = [one.params, one.query, one.body].flatMap((schema) =>
      schema ? unbounded(schema as Schema) : [],
    )
    expect(places).toEqual([])
  })
})
