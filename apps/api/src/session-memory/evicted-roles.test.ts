import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { digestOf } from '#platform/crypto/tokens'
import { call } from '../../test/client.ts'
import { engines } from '../../test/databases.ts'
import { exchange, type GivenProject, givenAdmin, givenCode, givenProject } from '../../test/given.ts'
import { worldForTests } from '../../test/world-for-tests.ts'
import { type Answers, createAnswers } from './answers.ts'

const { mainGuildId: club, gamesGuildId: games } = demo
const { joon } = demo.users

describe.each(engines)('roles that are evicted while they are relied on, on %s', (engine) => {
  const world = worldForTests(engine)
  let project: GivenProject
  let answers: Answers
  beforeAll(async () => {
    const token = await givenAdmin(world)
    await call(world.url, 'POST', '/api/admin/servers', { token, body: { id: games } })
    project = await givenProject(world, { serverIds: [club, games] })
    const { db, log, config } = world.service.deps
    // Memory for one session: caching another one evicts it.
    answers = createAnswers({ db, log, maxBytes: 1, configuredServerId: config.chatGuildId })
    answers.start()
  })
  afterAll(() => answers?.close())

  const givenItem = async (serverId: string) => {
    const { body } = await exchange(
      world,
      project,
      await givenCode(world, project, joon, { server_id: serverId }),
    )
    return { keyDigest: '', tokenDigest: digestOf(body.token) }
  }
  const rolesOf = ({ session }: Awaited<ReturnType<Answers['read']>>): string[] =>
    JSON.parse(session?.toJson(null, 'rest') ?? '{}').roles?.map(
      ({ roleName }: { roleName: string }) => roleName,
    )

  test('are in the response, also if a session of the same read evicts their last session', async () => {
    const before = await givenItem(club)
    const other = await givenItem(games)
    const after = await givenItem(club)
    await expect.poll(answers.isLeased).toBe(true)
    const expected = ['Captain', 'Port watch']
    expect(rolesOf(await answers.read(before))).toEqual(expected)
    const [, read] = await Promise.all([answers.read(other), answers.read(after)])
    expect(rolesOf(read)).toEqual(expected)
    expect(answers.findSession(after.tokenDigest)?.roleIds).toHaveLength(expected.length)
  })
})
