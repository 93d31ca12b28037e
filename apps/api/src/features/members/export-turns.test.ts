import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { givenSession, validate } from '../../../test/given.ts'
import { adminForTests, projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

const count = 14_000

/** Written at once and not analyzed: the state during a first sync. */
describe.each(mainEngines)('exports of many new members on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  let member: string
  const admin = adminForTests(world)
  const project = projectForTests(world)
  beforeAll(async () => {
    member = (await givenSession(world, project)).token
    await world.service.deps.db.transaction(
      (tx) =>
        tx.script(`
          set local session_replication_role = replica;
          insert into members (id, username, is_club_member, is_current)
            select (200000000000000000 + i * 1234567)::text, 'amber' || i, true, true
            from generate_series(1, ${count}::bigint) i;
          insert into memberships (server_id, member_id, role_ids, search_text)
            select '${demo.mainGuildId}', id, array['${demo.roles.crew}'], search_text
            from members where username like 'amber%';
          select count_member_totals()`),
      { long: true },
    )
  })

  test.each(['filter=all', `serverId=${demo.mainGuildId}`, `roleId=${demo.roles.crew}&filter=club`])(
    'with the filter "%s" others are answered between its pages',
    async (query) => {
      let isOver = false
      const exported = call(world.url, 'GET', `/api/admin/members/export?search=amber&${query}`, admin)
      void exported.finally(() => {
        isOver = true
      })
      let answered = 0
      while (!isOver) {
        expect((await validate(world, project, member)).status).toBe(200)
        answered += 1
      }
      expect((await exported).body).toHaveLength(count)
      expect(answered).toBeGreaterThan(10)
    },
  )

  test('a member who is renamed meanwhile is in the file once', async () => {
    const { db } = world.service.deps
    const exported = call(world.url, 'GET', '/api/admin/members/export?search=amber', admin)
    await validate(world, project, member)
    await db.script(`update members set username = 'amberzz' || username where username like 'amber1%'`)
    const ids = (await exported).body.map(({ memberId }: { memberId: string }) => memberId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toHaveLength(count)
  })
})
