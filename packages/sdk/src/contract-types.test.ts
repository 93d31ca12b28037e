import type {
  EndpointDefinition,
  EndpointInput,
  EndpointOutput,
  ErrorCode,
  errors,
  events,
  projectReads,
  sessions,
  webhooks,
} from '@rolecall/contract'
import { endpoints, operationIdOf } from '@rolecall/contract'
import { expect, expectTypeOf, test } from 'vitest'
import type { Endpoints, ErrorStatuses, EventData } from './contract-types.ts'

type Contract = typeof sessions & typeof projectReads & typeof webhooks & typeof events
type Frozen<T> = unknown extends T ? T : T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T

/** True if each type is assignable to the other. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
type Part<E, Name extends string> = E extends Readonly<Record<Name, infer Value>> ? Value : undefined
type Body<E extends EndpointDefinition> = E extends { payload: object } ? unknown : EndpointInput<E>['body']
type Answer<E extends EndpointDefinition> = E['answers'][keyof E['answers']] extends { events: object }
  ? EventData
  : undefined extends EndpointOutput<E>
    ? undefined
    : EndpointOutput<E>

/** Lists where the client's types differ from the contract, by endpoint and part. */
type Different = {
  [Name in keyof Endpoints]: Same<
    [
      Endpoints[Name]['method'],
      Endpoints[Name]['path'],
      Part<Endpoints[Name], 'params'>,
      Part<Endpoints[Name], 'query'>,
      Part<Endpoints[Name], 'body'>,
      Endpoints[Name]['answer'],
    ],
    [
      Contract[Name]['method'],
      Contract[Name]['path'],
      Frozen<EndpointInput<Contract[Name]>['params']>,
      Frozen<EndpointInput<Contract[Name]>['query']>,
      Frozen<Body<Contract[Name]>>,
      Frozen<Answer<Contract[Name]>>,
    ]
  > extends true
    ? never
    : Name
}[keyof Endpoints]

type Table = typeof errors
type Statuses = {
  [Row in ErrorCode as Table[Row] extends { code: infer Code extends string }
    ? Code
    : Row]: Table[Row]['status']
}

/** Every endpoint by its name. A missing or an extra name does not compile. */
const known: Record<keyof Endpoints, true> = {
  exchangeCode: true,
  validateSession: true,
  logout: true,
  logoutAll: true,
  listSessions: true,
  revokeSession: true,
  revokeAllSessions: true,
  refreshSession: true,
  listServerMembers: true,
  getServerMember: true,
  checkPermissions: true,
  checkManyPermissions: true,
  streamEvents: true,
  listOwnWebhooks: true,
  createOwnWebhook: true,
  getOwnWebhook: true,
  updateOwnWebhook: true,
  deleteOwnWebhook: true,
  rotateOwnSecret: true,
  submit: true,
  readSubmissions: true,
}

test('the types are of all endpoints that a project may call, and are the contract’s', () => {
  const ofProjects = endpoints.filter(
    ({ auth, path }) => auth === 'projectKey' || (auth === 'session' && !path.startsWith('/api/auth/admin/')),
  )
  expect(Object.keys(known).sort()).toEqual(ofProjects.map(operationIdOf).sort())
  // The compiler decides this: each type is assignable to the other.
  expectTypeOf<Different>().toBeNever()
  expectTypeOf<Same<keyof EventData, events.EventName>>().toEqualTypeOf<true>()
  expectTypeOf<Same<EventData[keyof EventData], Frozen<events.Event['data']>>>().toEqualTypeOf<true>()
  expectTypeOf<Same<ErrorStatuses, Statuses>>().toEqualTypeOf<true>()
})
