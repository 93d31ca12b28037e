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
 * The routes outside of the API: the start page, the documentation, the OpenAPI document and its renderer, the metrics,
 * and OpenID Connect, whose standards and discovery document define its requests and responses.
 */
const aboutTheApi =
  /^(GET \/($|docs\b|api\/openapi\.json|api\/docs\b|metrics|console\b)|(GET|POST|OPTIONS) \/(oidc\/|device\b|\.well-known\/o))/

/**
 * Returns `METHOD /path` of each route in Fastify's printed tree, which uses four characters per level. The tree joins
 * parameter names that differ between routes, so this ignores names.
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
          // Ignores HEAD, because every GET has it.
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
