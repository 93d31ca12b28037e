import { demo } from '@rolecall/chat-sim'
import {
  type EndpointDefinition,
  endpoints,
  exampleBody,
  type Grant,
  grants,
  refusals,
  type Schema,
} from '@rolecall/contract'
import { describe, expect, test } from 'vitest'
import { call } from './client.ts'
import { mainEngines } from './databases.ts'
import { authorizePath } from './given.ts'
import { addressOf, nameOf, rowsOf } from './requests.ts'
import { adminForTests, projectForTests, worldForTests } from './world-for-tests.ts'

const refusedWith = { operation: 'OPERATION_REQUIRED', scope: 'SCOPE_REQUIRED' } as const
const all = Object.keys(grants) as Grant[]

describe('what endpoints declare to need', () => {
  test('is what they refuse for, and the other way round', () => {
    const codes = ['OPERATION_REQUIRED', 'SCOPE_REQUIRED', 'SERVER_NOT_ACCESSIBLE'] as const
    const expected = (one: EndpointDefinition) => {
      if (one.needs === undefined) return []
      return one.needs === 'READ' ? ['SERVER_NOT_ACCESSIBLE'] : [refusedWith[grants[one.needs].kind]]
    }
    for (const one of endpoints as readonly EndpointDefinition[]) {
      const own = refusals(one).filter((code) => codes.some((named) => named === code))
      expect(own, nameOf(one)).toEqual(expected(one))
    }
  })
})

describe.each(mainEngines)('a project that lacks one grant on %s', (engine) => {
  const world = worldForTests(engine)
  const admin = adminForTests(world)
  const project = projectForTests(world)

  const grant = async (given: readonly Grant[]) => {
    const of = (kind: 'operation' | 'scope') => all.filter((name) => grants[name].kind === kind)
    const operations = Object.fromEntries(of('operation').map((name) => [name, given.includes(name)]))
    const scopes = of('scope').filter((name) => given.includes(name))
    const path = `/api/admin/projects/${project.id}/servers/${demo.mainGuildId}`
    const reply = await call(world.url, 'PUT', path, { ...admin, body: { operations, scopes } })
    expect(reply.status).toBe(200)
  }
  const codeOf = async (one: EndpointDefinition) => {
    const path = addressOf({ ...one, path: one.path.replace('{serverId}', demo.mainGuildId) })
    const body = one.body && (exampleBody(one.body as Schema) as object)
    return (await call(world.url, one.method, path, { key: project.key, ...(body && { body }) })).body?.code
  }

  test.each(rowsOf(({ needs, auth }) => needs && auth === 'projectKey'))(
    'is refused %s, which it may with that grant and READ',
    async (_, one) => {
      const { needs } = one
      if (!needs) throw new Error('a row without a grant')
      const refusal = refusedWith[grants[needs].kind]
      await grant(all.filter((name) => name !== needs))
      expect(await codeOf(one)).toBe(refusal)
      await grant(['READ', needs])
      expect(await codeOf(one)).not.toBe(refusal)
    },
  )

  test('signs no member in without READ', async () => {
    const ask = async () => (await call(world.url, 'GET', authorizePath(project.id))).body?.code
    await grant(all.filter((name) => name !== 'READ'))
    expect(await ask()).toBe('SERVER_NOT_ACCESSIBLE')
    await grant(['READ'])
    expect(await ask()).toBeUndefined()
  })
})
