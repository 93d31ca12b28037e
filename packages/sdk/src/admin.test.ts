import type {
  access,
  apiKeys,
  audit,
  blocks,
  chatServers,
  EndpointInput,
  eventDeliveries,
  notifications,
  profile,
  projects,
  webhooks,
} from '@rolecall/contract'
import { endpoints, operationIdOf } from '@rolecall/contract'
import { beforeAll, expect, expectTypeOf, test } from 'vitest'
import { givenAdmin } from '../../../apps/api/test/given.ts'
import { worldForTests } from '../../../apps/api/test/world-for-tests.ts'
import { type Admin, createAdmin, RolecallError } from './admin.ts'
import { type AdminEndpoints, adminAddresses } from './admin-types.ts'

const world = worldForTests('pglite')
let admin: Admin
beforeAll(async () => {
  admin = createAdmin({ baseUrl: world.url, token: await givenAdmin(world) })
})

type Contract = typeof access &
  typeof apiKeys &
  typeof audit &
  typeof blocks &
  typeof chatServers &
  typeof eventDeliveries &
  typeof notifications &
  typeof profile &
  typeof projects &
  typeof webhooks
type Frozen<T> = unknown extends T ? T : T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
type Part<E, Name extends string> = E extends { readonly [K in Name]?: infer Value } ? Value : undefined
type Compared = keyof AdminEndpoints & keyof Contract
type Asked = Exclude<Compared, 'exportAuditLogs' | 'exportSubmissions'>
/** Lists the endpoints with another path or query than in the contract. */
type Different = {
  [Name in Asked]: Same<
    [Part<AdminEndpoints[Name], 'params'>, Part<AdminEndpoints[Name], 'query'>],
    [Frozen<EndpointInput<Contract[Name]>['params']>, Frozen<EndpointInput<Contract[Name]>['query']>]
  > extends true
    ? never
    : Name
}[Asked]

test('the types are of everything that administrators may ask, and take what the contract takes', () => {
  const known = endpoints.filter(({ auth }) => auth === 'admin').map(operationIdOf)
  expect(Object.keys(adminAddresses)).toEqual(expect.arrayContaining(known))
  // The compiler decides this.
  expectTypeOf<Different>().toBeNever()
})

test('asks by name, fills the path, and answers data', async () => {
  const { project, apiKey } = await admin.ask('createProject', { body: { name: 'Harbour log' } })
  expect(apiKey).toMatch(/^rck_/)
  const { data } = await admin.ask('listProjects', { query: { name: 'harbour', limit: 5 } })
  expect(data.map(({ id }) => id)).toEqual([project.id])
  expect(await admin.ask('getProject', { params: { id: project.id } })).toMatchObject({ name: 'Harbour log' })
  expect(await admin.ask('deleteProject', { params: { id: project.id } })).toBe(undefined)
})

test('a refusal is a typed error, and an id is never a step to another address', async () => {
  const id = '01932f6e-8f4a-7cc0-9b1d-3a5f8e7d6c4b'
  const refusal = await admin.ask('getProject', { params: { id } }).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(RolecallError)
  expect(refusal).toMatchObject({ code: 'PROJECT_NOT_FOUND', status: 404 })
  await expect(admin.ask('getProject', { params: { id: '..' } })).rejects.toThrow('id is not a valid ID.')
})

test('a file has an address for the browser', () => {
  expect(admin.address('exportAuditLogs', { query: { severity: 'error' } })).toBe(
    `${world.url}/api/admin/audit/logs/export?severity=error`,
  )
})
