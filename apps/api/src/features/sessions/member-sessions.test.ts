import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { call } from '../../../test/client.ts'
import { engines } from '../../../test/databases.ts'
import { givenSession, validate, walkSession } from '../../../test/given.ts'
import { adminForTests, projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

const { users } = demo

describe.each(engines)('the sessions of a member, for an admin, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  const project = projectForTests(world, { name: 'Shop' })
  const admin = adminForTests(world)

  const ask = (method: string, path: string) => call(world.url, method, `/api/admin/members/${path}`, admin)
  const list = async (id: string) => (await ask('GET', `${id}/sessions`)).body.sessions

  test('are listed newest first, with project, place and browser, single sign-on too, and without tokens', async () => {
    const { token } = await walkSession(world, project, users.kenji)
    const sessions = await list(users.kenji)
    expect(sessions.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(['project', 'sso'])
    const [one] = sessions.filter(({ kind }: { kind: string }) => kind === 'project')
    expect(one).toMatchObject({
      projectId: project.id,
      projectName: 'Shop',
      serverId: demo.mainGuildId,
      clientInfo: { ipAddress: '127.0.0.1', userAgent: 'node' },
    })
    expect(JSON.stringify(sessions)).not.toContain(token)
    expect((await ask('GET', '999999999999999999/sessions')).body.code).toBe('MEMBER_NOT_FOUND')
  })

  test('are ended one by one, with an entry each; another member’s is the same 404 as none', async () => {
    const [first, second] = [
      await givenSession(world, project, users.rosa),
      await givenSession(world, project, users.rosa),
    ]
    const { id } = (await validate(world, project, first.token)).body.session
    const entries = async () =>
      (
        await world.service.deps.db.query<{ summary: string }>(sql`
          select summary from audit_log where action = 'session.revoke' and target_id = ${users.rosa}`)
      ).map(({ summary }) => summary)
    for (const path of [`${users.ada}/sessions/${id}`, `${users.rosa}/sessions/nothing`]) {
      const { status, body } = await ask('DELETE', path)
      expect([status, body.code]).toEqual([404, 'SESSION_NOT_FOUND'])
    }
    expect(await entries()).toEqual([])
    expect((await ask('DELETE', `${users.rosa}/sessions/${id}`)).status).toBe(204)
    expect(await entries()).toEqual([expect.stringMatching(/^Ended a session of Shop for \S+\.$/)])
    expect((await validate(world, project, first.token)).status).toBe(401)
    expect((await validate(world, project, second.token)).status).toBe(200)
    expect((await ask('DELETE', `${users.rosa}/sessions/${id}`)).status).toBe(404)
  })
})
