import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { readTime } from '#platform/db/read-time'
import { sql } from '#platform/db/sql'
import { engines } from '../../test/databases.ts'
import { worldForTests } from '../../test/world-for-tests.ts'
import { removeRoleFromMembers } from './write-members.ts'
import { writeMemberships } from './write-memberships.ts'

const { mainGuildId: club } = demo
const { captain, crew, deckhand } = demo.roles

describe.each(engines)('memberships on %s', (engine) => {
  const world = worldForTests(engine)
  beforeAll(async () => {
    await world.service.deps.refreshMember(club, demo.users.ada)
  })

  const rolesOf = async (memberId: string) =>
    (
      await world.service.deps.db.maybeOne<{ roles: string[] }>(sql`
        select role_ids as roles from memberships where server_id = ${club} and member_id = ${memberId}`)
    )?.roles

  test('that lose a removed role still take a list that was requested before', async () => {
    const { db, chat, endSessions } = world.service.deps
    const member = await chat.member(club, demo.users.ada, 'login')
    if (!member) throw new Error('not there')
    const write = (roleIds: string[], asOf: Date | 'now') =>
      db.transaction((tx) =>
        writeMemberships(
          tx,
          { endSessions },
          [{ serverId: club, member: { ...member, roleIds } }],
          asOf,
          'old',
        ),
      )
    await write([captain, deckhand], 'now')
    const requestedAt = await readTime(db)
    const step = { serverId: club, roleId: deckhand, memberIds: [member.user.id] }
    expect(await db.transaction((tx) => removeRoleFromMembers(tx, step))).toBe(1)
    expect(await rolesOf(member.user.id)).toEqual([captain])
    // An outage of the server had hidden the event of this change: only the list tells of it.
    await write([crew], requestedAt)
    expect(await rolesOf(member.user.id)).toEqual([crew])
  })
})
