import { demo } from '@rolecall/chat-sim'
import { Rolecall, RolecallError, type RolecallEvent } from '@rolecall/sdk'
import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from 'vitest'
import { call } from '../../../apps/api/test/client.ts'
import { type GivenProject, givenAdmin, givenProject, givenSession } from '../../../apps/api/test/given.ts'
import { type Relay, startRelay } from '../../../apps/api/test/relay.ts'
import { worldForTests } from '../../../apps/api/test/world-for-tests.ts'
import { whileCollecting } from '../../../tools/collect-garbage.ts'

const world = worldForTests('pglite', { PERMISSION_TTL_MS: '3600000' })
let project: GivenProject
let relay: Relay
/** Reads events through the relay. */
let reader: Rolecall
/** Causes the events. */
let rolecall: Rolecall
beforeEach(async () => {
  project = await givenProject(world)
  relay = await startRelay(world.url)
  reader = new Rolecall({ baseUrl: relay.url, apiKey: project.key })
  rolecall = new Rolecall({ baseUrl: world.url, apiKey: project.key })
})
afterEach(() => relay.close())

/** Ends one session, which causes one event. */
async function happen(): Promise<string> {
  const { token } = await givenSession(world, project)
  const { session } = (await rolecall.validate(token)) ?? {}
  await rolecall.logout(token)
  return session?.id ?? ''
}

const sessionOf = ({ value }: IteratorResult<RolecallEvent, void>) =>
  value?.type === 'session.revoked' ? value.data.sessionId : undefined

describe('events()', () => {
  test('tells each event with its id, its name and data that is typed by its name', async () => {
    const feed = rolecall.events()
    const events = feed[Symbol.asyncIterator]()
    const next = events.next()
    await expect.poll(() => feed.lastId, { interval: 5 }).toBeDefined()
    const id = await happen()
    const { value: event } = await next
    if (event?.type !== 'session.revoked') throw new Error(JSON.stringify(event))
    expectTypeOf(event.data.reason).toExtend<string | null>()
    expect(event).toMatchObject({ id: expect.any(String), data: { sessionId: id, memberId: demo.users.ada } })
    await events.return()
  })

  test('goes on after the last one that was handled, however often the connection is cut', async () => {
    const errors: RolecallError[] = []
    const feed = reader.events({ onError: (error) => errors.push(error) })
    const events = feed[Symbol.asyncIterator]()
    const first = events.next()
    await expect.poll(() => feed.lastId, { interval: 5 }).toBeDefined()
    const told = [await happen()]
    const found = [sessionOf(await first)]
    for (let round = 0; round < 2; round++) {
      relay.cut()
      told.push(await happen(), await happen())
      relay.mend()
      found.push(sessionOf(await events.next()), sessionOf(await events.next()))
    }
    expect(found).toEqual(told)
    for (const { code } of errors) expect(code).toBe('NETWORK_ERROR')
    await events.return()
  })

  test('resumes where another process has stopped, also before the first event', async () => {
    const feed = rolecall.events()
    const events = feed[Symbol.asyncIterator]()
    const waiting = events.next()
    await expect.poll(() => feed.lastId, { interval: 5 }).toBeDefined()
    const start = feed.lastId ?? ''
    const told = [await happen(), await happen()]
    await waiting
    await events.return()

    const resumed = rolecall.events({ after: start })[Symbol.asyncIterator]()
    const one = await resumed.next()
    expect(sessionOf(one)).toBe(told[0])
    await resumed.return()
    const rest = rolecall.events({ after: one.value?.id ?? '' })[Symbol.asyncIterator]()
    expect(sessionOf(await rest.next())).toBe(told[1])
    await rest.return()
  })

  test('says what is unknown, so that nothing is missed unnoticed', async () => {
    const events = rolecall.events({ after: 'unknown' })[Symbol.asyncIterator]()
    expect((await events.next()).value).toMatchObject({ type: 'reset', data: { reason: 'unknown_id' } })
    await events.return()
  })

  test('ends with the project, and rejects at once with a key that is none', async () => {
    const events = rolecall.events()
    const types: string[] = []
    const read = (async () => {
      for await (const { type } of events) types.push(type)
    })()
    await expect.poll(() => events.lastId, { interval: 5 }).toBeDefined()
    const path = `/api/admin/projects/${project.id}`
    await call(world.url, 'PATCH', path, { token: await givenAdmin(world), body: { isActive: false } })
    await read
    expect(types).toEqual(['project.disabled'])
    const stranger = new Rolecall({ baseUrl: world.url, apiKey: 'rck_x' }).events()[Symbol.asyncIterator]()
    const error = await stranger.next().catch((reason) => reason)
    expect(error instanceof RolecallError && error.code).toBe('INVALID_API_KEY')
  })

  test('ends with the reason of the caller’s signal', async () => {
    const abort = new AbortController()
    const events = rolecall.events({ signal: abort.signal })[Symbol.asyncIterator]()
    const next = events.next()
    abort.abort(new Error('shutting down'))
    await expect(next).rejects.toThrow('shutting down')
  })

  test('ends with it in the middle of the stream also when garbage was collected meanwhile', async () => {
    const abort = new AbortController()
    const feed = rolecall.events({ signal: abort.signal })
    const next = feed[Symbol.asyncIterator]().next()
    const ended = expect(next).rejects.toThrow('shutting down')
    await expect.poll(() => feed.lastId, { interval: 5 }).toBeDefined()
    await whileCollecting(20, new Promise((resolve) => setTimeout(resolve, 200)))
    abort.abort(new Error('shutting down'))
    await ended
  })
})
