import { endpoints, openApi } from '@rolecall/contract'
import { describe, expect, test } from 'vitest'
import { createApp } from '../src/app.ts'
import { createLifecycle } from '../src/platform/http/lifecycle.ts'
import { contractRules, withPlanted } from './contract-rules.ts'
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
 * Routes outside the API: pages about it (the front door, the documentation, the document, its renderer, metrics), and
 * OpenID Connect, with requests and responses that its standards and discovery document define.
 */
const aboutTheApi =
  /^(GET \/($|docs\b|api\/openapi\.json|api\/docs\b|metrics|console\b)|(GET|POST|OPTIONS) \/(oidc\/|device\b|\.well-known\/o))/

/**
 * Returns `METHOD /path` of each route in Fastify's printed tree, which has four characters a level. It joins
 * parameter names that differ between routes, so names do not count.
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
          // Every GET has a HEAD, which adds nothing.
          .filter((method) => method !== 'HEAD')
          .map((method) => `${method} ${prefixes[depth]?.replaceAll(/:[^/]+/g, ':id')}`)
  })
}

describe('the contract', () => {
  test.each(contractRules)('$title', ({ find }) => {
    expect(find(endpoints)).toEqual([])
  })

  test.each(contractRules)('a planted endpoint is found that breaks: $title', (rule) => {
    const found = rule.find(withPlanted(rule))
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/^POST \/api\/(planted|admin\/planted|auth\/validate)\b/)
  })
})
