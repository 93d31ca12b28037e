import { demo } from '@rolecall/chat-sim'
import { endpoints } from '@rolecall/contract'
import { Rolecall, RolecallError } from '@rolecall/sdk'
import { beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { call } from '../../../apps/api/test/client.ts'
import { givenAdmin, givenSession } from '../../../apps/api/test/given.ts'
import { contactSchema } from '../../../apps/api/test/given-webhook.ts'
import { projectForTests, worldForTests } from '../../../apps/api/test/world-for-tests.ts'

const { mainGuildId, gamesGuildId, roles, users } = demo
const people = [users.ada, users.tomas, users.joon, users.mara, users.piper]

const world = worldForTests('pglite', { PERMISSION_TTL_MS: '3600000' })
const project = projectForTests(world)
let rolecall: Rolecall
const asked = new Set<string>()
beforeAll(async () => {
  const operations = { MANAGE_WEBHOOKS: true }
  const mapping = `/api/admin/projects/${project.id}/servers/${mainGuildId}`
  await call(world.url, 'PUT', mapping, { token: await givenAdmin(world), body: { operations } })
  for (const id of people) await world.service.deps.refreshMember(mainGuildId, id)
  rolecall = new Rolecall({
    baseUrl: world.url,
    apiKey: project.key,
    fetch: (input, init) => {
      asked.add(`${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`)
      return fetch(input, init)
    },
  })
})

const codeOf = (run: Promise<unknown>) =>
  run.then(
    () => undefined,
    (error: unknown) => (error instanceof RolecallError ? error.code : error),
  )

describe('members', () => {
  test('are all told, once each, asked for in pages as they are read', async () => {
    const ids: string[] = []
    for await (const { memberId } of rolecall.members(mainGuildId, { pageSize: 2 })) ids.push(memberId)
    expect(ids.sort()).toEqual([...people].sort())
  })

  test('are asked for no further than they are read', async () => {
    let calls = 0
    const counting = new Rolecall({
      baseUrl: world.url,
      apiKey: project.key,
      fetch: (input, init) => {
        calls += 1
        return fetch(input, init)
      },
    })
    const members = counting.members(mainGuildId, { pageSize: 2 })
    expect(calls).toBe(0)
    for (let i = 0; i < 3; i++)
      expect((await members.next()).value).toMatchObject({ roles: expect.anything() })
    await members.return()
    expect(calls).toBe(2)
  })

  test('one by one carry their roles, and are undefined where there is none', async () => {
    const { memberId, roles: held } = (await rolecall.member(mainGuildId, users.ada)) ?? {}
    expect([memberId, held?.map(({ roleName }) => roleName)]).toEqual([users.ada, ['Crew']])
    expect(await rolecall.member(mainGuildId, '100000000000000001')).toBeUndefined()
  })

  test('of a server that is not the project’s are refused with a code', async () => {
    expect(await codeOf(rolecall.members(gamesGuildId).next())).toBe('SCOPE_REQUIRED')
    expect(await codeOf(rolecall.member(gamesGuildId, users.ada))).toBe('SCOPE_REQUIRED')
  })

  test('are checked for roles without a session of theirs', async () => {
    const check = (more: object) => rolecall.checkPermissions(mainGuildId, { memberId: users.ada, ...more })
    expect(await check({})).toMatchObject({ allowed: true, isMember: true })
    expect(await check({ anyOf: [roles.captain, roles.crew] })).toMatchObject({ allowed: true })
    expect(await check({ allOf: [roles.captain, roles.crew] })).toMatchObject({ allowed: false })
    const memberIds = [users.ada, '100000000000000001']
    const many = await rolecall.checkManyPermissions(mainGuildId, { memberIds, anyOf: [roles.crew] })
    expect(many).toMatchObject([
      { memberId: users.ada, allowed: true },
      { memberId: memberIds[1], allowed: false, isMember: false },
    ])
  })
})

describe('the project’s own webhooks', () => {
  test('are made, listed, changed, submitted to, read by those who may, and deleted', async () => {
    const { webhooks } = rolecall
    const made = await webhooks.create({
      name: 'Contact',
      schema: contactSchema,
      requireSignature: true,
      allowedRoleIds: [roles.crew],
    })
    expect((await webhooks.list()).map(({ id }) => id)).toEqual([made.id])
    const secret = await webhooks.rotateSecret(made.slug)
    expect(secret).not.toBe(made.secret)
    expect((await webhooks.update(made.id, { name: 'Contact us' })).name).toBe('Contact us')
    expect((await webhooks.get(made.slug)).name).toBe('Contact us')

    for (const name of ['Zoë ⛵', 'Ada', 'Joon']) await webhooks.submit(made.slug, { name }, { secret })
    expect(await codeOf(webhooks.submit(made.slug, { name: 'x' }))).toBe('SIGNATURE_INVALID')
    const { token } = await givenSession(world, project, users.ada)
    const read: unknown[] = []
    for await (const { payload } of webhooks.submissions(token, made.id, { pageSize: 2 })) read.push(payload)
    expect(read).toEqual([{ name: 'Joon' }, { name: 'Ada' }, { name: 'Zoë ⛵' }])
    const deckhand = await givenSession(world, project, users.tomas)
    expect(await codeOf(webhooks.submissions(deckhand.token, made.id).next())).toBe('ROLE_REQUIRED')

    await webhooks.delete(made.id)
    expect(await codeOf(webhooks.get(made.id))).toBe('WEBHOOK_NOT_FOUND')
  })

  test('say everything that does not fit in a payload', async () => {
    const { slug } = await rolecall.webhooks.create({ name: 'Strict', schema: contactSchema })
    const error = await rolecall.webhooks.submit(slug, { age: -1, more: true }).catch((reason) => reason)
    if (!(error instanceof RolecallError) || error.code !== 'PAYLOAD_INVALID') throw error
    expectTypeOf(error.status).toEqualTypeOf<422>()
    expect(error.errors.map(({ path }) => path).sort()).toEqual(['/age', '/more', '/name'])
  })

  test('take the same submission once, however often it is sent with its key', async () => {
    const { slug } = await rolecall.webhooks.create({ name: 'Once', schema: contactSchema })
    const idempotencyKey = 'order-1'
    const one = await rolecall.webhooks.submit(slug, { name: 'Ada' }, { idempotencyKey })
    expect(await rolecall.webhooks.submit(slug, { name: 'Ada' }, { idempotencyKey })).toEqual(one)
    expect(await codeOf(rolecall.webhooks.submit(slug, { name: 'Joon' }, { idempotencyKey }))).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    )
  })

  test('store a submission once whose answer was lost on the way and that is sent again, signature and all', async () => {
    const { slug, secret } = await rolecall.webhooks.create({
      name: 'Lost',
      schema: contactSchema,
      requireSignature: true,
    })
    let isLost = false
    const losing = new Rolecall({
      baseUrl: world.url,
      apiKey: project.key,
      fetch: async (input, init) => {
        const answer = await fetch(input, init)
        if (isLost) return answer
        isLost = true
        throw new TypeError('the connection was reset')
      },
    })
    await losing.webhooks.submit(slug, { name: 'Ada' }, { secret, idempotencyKey: 'lost-1' })
    expect(isLost).toBe(true)
    expect((await rolecall.webhooks.get(slug)).submissionCount).toBe(1)
  })
})

test('a member signs out everywhere', async () => {
  const { token } = await givenSession(world, project)
  const other = await givenSession(world, project)
  await rolecall.revokeAllSessions(token)
  expect(await rolecall.validate(other.token)).toBeUndefined()
})

test('arguments that are missing are named, all at once, and nothing is sent', async () => {
  const before = asked.size
  // An unset environment variable, as it gets past the compiler.
  const missing = undefined as unknown as string
  const calls: [string, () => unknown][] = [
    ['baseUrl is missing, apiKey is missing.', () => new Rolecall({ baseUrl: missing, apiKey: missing })],
    ['redirectUri is missing, serverId is missing.', () => authorize()],
    ['code is missing.', () => rolecall.exchange({ clientId: 'c', code: missing, redirectUri: 'r' })],
    ['refreshToken is missing.', () => rolecall.refresh({ token: 't', refreshToken: missing })],
    ['token is missing.', () => rolecall.logout(missing)],
    ['memberId is missing.', () => rolecall.logoutAll(missing)],
    ['token is missing.', () => rolecall.sessions(missing)],
    ['sessionId is missing.', () => rolecall.revokeSession('t', '')],
    ['serverId is missing.', () => rolecall.members(missing)],
    ['memberId is missing.', () => rolecall.member(mainGuildId, missing)],
    ['memberId is missing.', () => rolecall.checkPermissions(mainGuildId, { memberId: missing })],
    ['webhook is missing.', () => rolecall.webhooks.submit(missing, {})],
    ['name is missing.', () => rolecall.webhooks.create({ name: missing, schema: {} })],
  ]
  const authorize = () =>
    rolecall.authorizeUrl({ clientId: 'c', redirectUri: missing, serverId: missing, state: 's' })
  for (const [message, run] of calls) {
    await expect((async () => run())()).rejects.toThrow(new TypeError(message))
  }
  expect(asked.size).toBe(before)
})

test('every endpoint that a project may call is one of the client', async () => {
  const session = await givenSession(world, project)
  await rolecall.exchange({ clientId: project.id, code: 'c', redirectUri: 'r' }).catch(() => {})
  await rolecall.validate(session.token)
  const { token } = await rolecall.refresh(session)
  const [one] = await rolecall.sessions(token)
  await rolecall.revokeSession(token, one?.id ?? '')
  await rolecall.logout(token)
  await rolecall.logoutAll(users.ada)
  const events = rolecall.events()[Symbol.asyncIterator]()
  const next = events.next()
  await givenSession(world, project).then(({ token: last }) => rolecall.logout(last))
  expect((await next).value).toMatchObject({ type: 'session.revoked' })
  await events.return()

  const ofProjects = endpoints.filter(
    ({ auth, path }) => auth === 'projectKey' || (auth === 'session' && !path.startsWith('/api/auth/admin/')),
  )
  const missing = ofProjects.filter(({ method, path }) => {
    const wanted = new RegExp(`^${method} ${path.replace(/\{\w+\}/g, '[^/]+')}$`)
    return ![...asked].some((one) => wanted.test(one))
  })
  expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([])
})
