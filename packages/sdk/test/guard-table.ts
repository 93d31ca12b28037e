import { createServer, type RequestListener } from 'node:http'
import { demo } from '@rolecall/chat-sim'
import { Rolecall } from '@rolecall/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { givenProject, givenSession } from '../../../apps/api/test/given.ts'
import { startWorld, type World } from '../../../apps/api/test/service.ts'

const { roles, users } = demo
export const rules = { anyOf: [roles.captain, roles.crew] }
export const options = { onError: () => {} }
export type Ask = (path: string, headers: Record<string, string>) => Promise<Response>

/** The clients and session tokens that the sites of a test file share. */
export interface Guarded {
  readonly rolecall: Rolecall
  /** A client with an invalid key. */
  readonly broken: Rolecall
  /** The session token of a member with a required role. `deckhand` is one without it. */
  readonly crew: string
  readonly deckhand: string
  /** Registers a function to call after the last test. */
  onEnd(end: () => unknown): void
}

/**
 * Starts a site with four pages: for captains and crew, for all members, with the token in a cookie, and with a client
 * that always fails.
 */
export type StartGuarded = (given: Guarded) => Promise<Ask>

/** Starts the service before the tests. The values of the returned object are available once the tests run. */
export function givenGuarded(): Guarded {
  const ends: (() => unknown)[] = []
  let world: World
  let given: Omit<Guarded, 'onEnd'>
  beforeAll(async () => {
    world = await startWorld('pglite', { PERMISSION_TTL_MS: '3600000' })
    const project = await givenProject(world)
    given = {
      rolecall: new Rolecall({ baseUrl: world.url, apiKey: project.key }),
      broken: new Rolecall({ baseUrl: world.url, apiKey: 'rck_wrong' }),
      crew: (await givenSession(world, project, users.ada)).token,
      deckhand: (await givenSession(world, project, users.tomas)).token,
    }
  })
  afterAll(async () => {
    for (const end of ends) await end()
    await world?.close()
  })
  return {
    get rolecall() {
      return given.rolecall
    },
    get broken() {
      return given.broken
    },
    get crew() {
      return given.crew
    },
    get deckhand() {
      return given.deckhand
    },
    onEnd: (end) => void ends.push(end),
  }
}

/** Listens on a free port of 127.0.0.1 until the test file ends. */
export async function listen(handle: RequestListener, { onEnd }: Guarded): Promise<Ask> {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onEnd(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return (path, headers) => fetch(`http://127.0.0.1:${port}${path}`, { headers })
}

/** Tests that `requireMember()` gives the same responses in each framework. */
export function describeGuards(given: Guarded, sites: Readonly<Record<string, StartGuarded>>): void {
  describe.each(Object.entries(sites))('requireMember() for %s', (_, start) => testGuard(given, start))
}

function testGuard(given: Guarded, start: StartGuarded): void {
  let ask: Ask
  beforeAll(async () => {
    ask = await start(given)
  })
  const refused = async (path: string, headers: Record<string, string>) => {
    const answer = await ask(path, headers)
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
    const { status, code } = (await answer.json()) as { status: number; code: string }
    expect(status).toBe(answer.status)
    return [status, code]
  }

  test('admits a member with one of the roles, and passes on the session', async () => {
    const answer = await ask('/crew', { authorization: `Bearer ${given.crew}` })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ id: users.ada, username: 'ada.osei' })
  })

  test('admits every member if no role is required', async () => {
    const answer = await ask('/all', { authorization: `Bearer ${given.deckhand}` })
    expect(await answer.json()).toMatchObject({ id: users.tomas })
  })

  test('reads the token from a cookie, if configured', async () => {
    const answer = await ask('/cookie', { cookie: `other=1; session=${given.crew}` })
    expect(await answer.json()).toMatchObject({ id: users.ada })
    expect(await refused('/cookie', { authorization: `Bearer ${given.crew}` })).toEqual([
      401,
      'LOGIN_REQUIRED',
    ])
  })

  test('answers 403 without the role, and 401 without a live session', async () => {
    expect(await refused('/crew', { authorization: `Bearer ${given.deckhand}` })).toEqual([
      403,
      'ROLE_REQUIRED',
    ])
    for (const authorization of ['', 'Bearer', 'Bearer rcs_x', `Basic ${given.crew}`]) {
      expect(await refused('/crew', { authorization })).toEqual([401, 'LOGIN_REQUIRED'])
    }
  })

  test('answers 503 and not 401 when it cannot check the session', async () => {
    const answer = await ask('/broken', { authorization: `Bearer ${given.crew}` })
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await answer.json()).toMatchObject({ code: 'SESSION_CHECK_UNAVAILABLE' })
  })
}
