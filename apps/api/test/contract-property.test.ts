import { demo } from '@rolecall/chat-sim'
import type { EndpointDefinition } from '@rolecall/contract'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../src/platform/db/sql.ts'
import { type WildRequest, wildRequest } from './arbitrary-request.ts'
import { type Call, call } from './client.ts'
import { type Credentials, givenCredentials } from './credentials.ts'
import { mainEngines } from './databases.ts'
import { givenAdmin, givenProject, givenSession } from './given.ts'
import { rowsOf } from './requests.ts'
import { worldForTests } from './world-for-tests.ts'

/** The seed of the requests. Set FC_SEED to repeat a run. */
const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31)
const runs = Number(process.env['FC_RUNS'] ?? 1_000)

const byName = new Map(rowsOf(() => true))
const definitionOf = ({ endpoint }: WildRequest) => byName.get(endpoint) as EndpointDefinition

describe.each(mainEngines)('any request at all on %s', (engine) => {
  let given: Credentials
  const world = worldForTests(engine)
  beforeAll(async () => {
    given = await givenCredentials(world)
  })

  const credentialsFor = (request: WildRequest): Call => {
    const who = request.as === 'right' ? definitionOf(request).auth : request.as
    if (who === 'projectKey' || who === 'project') return { key: given.project.key }
    if (who === 'admin') return { token: given.admin }
    return who === 'session' || who === 'member' ? { token: given.member } : {}
  }
  /** Creates new credentials. A request may end its own session, and the first 401 after that calls this. */
  async function renew() {
    const live = await Promise.all(
      [given.admin, given.member].map((token) => call(world.url, 'GET', '/api/auth/sessions', { token })),
    )
    const [admin, member] = live.map((reply) => reply.status === 200)
    if (admin && member) return
    const isKeyGood = await call(world.url, 'POST', '/api/auth/logout', {
      key: given.project.key,
      body: { token: 'x' },
    })
    // Unblocks the member first, because a blocked member cannot get a session.
    await world.service.deps.db.execute(sql`delete from member_blocks`)
    const project = isKeyGood.status === 200 ? given.project : await givenProject(world)
    given = {
      ...given,
      project,
      admin: admin ? given.admin : await givenAdmin(world),
      member: member ? given.member : (await givenSession(world, project)).token,
    }
  }

  test(`gets an answer that fits the contract, and never a 5xx (FC_SEED=${seed})`, {
    timeout: 120_000,
  }, async () => {
    const spares = [await givenProject(world), await givenProject(world), await givenProject(world)]
    const { users, roles, mainGuildId } = demo
    const known = [
      ...spares.flatMap(({ id, key }) => [id, key]),
      users.ada,
      users.mara,
      roles.crew,
      mainGuildId,
      'https://site.example/cb',
    ]
    const reached = new Map<string, Set<number>>()
    await fc.assert(
      fc.asyncProperty(wildRequest(known), async (request) => {
        const { endpoint, path, headers, raw } = request
        const { method, page, auth } = definitionOf(request)
        const reply = await call(world.url, method, path, {
          ...credentialsFor(request),
          headers: page ? { ...headers, accept: 'application/json' } : headers,
          ...(raw !== undefined && { raw }),
        })
        expect(reply.status, reply.text).toBeLessThan(500)
        reached.set(endpoint, (reached.get(endpoint) ?? new Set()).add(reply.status))
        if (reply.status === 401 && auth !== 'none' && request.as === 'right') await renew()
      }),
      { seed, numRuns: runs, endOnFailure: true },
    )
    // Many endpoints must have succeeded, because rejected requests alone would prove little.
    const took = [...reached.values()].filter((statuses) => [...statuses].some((status) => status < 400))
    expect(took.length).toBeGreaterThan(reached.size / 3)
  })
})
