import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { readTime } from '#platform/db/read-time'
import { sql } from '#platform/db/sql'
import { engines } from '../../test/databases.ts'
import { memberEntries } from '../../test/live-mirror.ts'
import { worldForTests } from '../../test/world-for-tests.ts'
import { writeServer } from './write-servers.ts'

const club = demo.mainGuildId
const { ada, joon } = demo.users

describe.each(engines)(
  'an answer that is older than what was told since it was asked for, on %s',
  (engine) => {
    const world = worldForTests(engine)

    const ask = async (id: string) => {
      const { db, chat } = world.service.deps
      const askedAt = await readTime(db)
      const member = await chat.member(club, id, 'login')
      if (!member) throw new Error(`${id} is no member`)
      // The clock counts milliseconds.
      while ((await readTime(db)).getTime() <= askedAt.getTime() + 1) await readTime(db)
      return { member, askedAt }
    }
    const stored = (id: string) =>
      world.service.deps.db.maybeOne<{ nick: string; isMember: boolean }>(sql`
      select nick, left_at is null as "isMember" from memberships where server_id = ${club} and member_id = ${id}`)

    test('neither undoes a change nor brings back who has left', async () => {
      const { mirrorMember } = world.service.deps
      const { member, askedAt } = await ask(ada)
      await mirrorMember(club, member.user, { ...member, nick: 'newer' }, 'now')
      await mirrorMember(club, member.user, { ...member, nick: 'older' }, askedAt)
      expect(await stored(ada)).toEqual({ nick: 'newer', isMember: true })
      await mirrorMember(club, { id: ada }, undefined, 'now')
      await mirrorMember(club, member.user, member, askedAt)
      expect(await stored(ada)).toEqual({ nick: 'newer', isMember: false })
    })

    test('does not pass for newer than one that was asked for before it was written', async () => {
      const { mirrorMember } = world.service.deps
      const early = await ask(demo.users.tomas)
      const late = await ask(demo.users.tomas)
      await mirrorMember(club, early.member.user, { ...early.member, nick: 'as it was' }, early.askedAt)
      const renamed = { ...late.member.user, username: 'tomas.now' }
      await mirrorMember(club, renamed, { ...late.member, nick: 'as it is' }, late.askedAt)
      expect(await stored(demo.users.tomas)).toEqual({ nick: 'as it is', isMember: true })
      const [found] = await world.service.deps.db.query(
        sql`select username from members where id = ${demo.users.tomas}`,
      )
      expect(found).toEqual({ username: 'tomas.now' })
    })

    test('does not end the membership of who has come meanwhile', async () => {
      const { mirrorMember } = world.service.deps
      const { member, askedAt } = await ask(joon)
      await mirrorMember(club, member.user, member, 'now')
      await mirrorMember(club, { id: joon }, undefined, askedAt)
      expect(await stored(joon)).toMatchObject({ isMember: true })
      expect(await memberEntries(world, joon)).toEqual([])
    })

    test('undoes no change of the roles of the server', async () => {
      const { db, chat } = world.service.deps
      const { askedAt } = await ask(ada)
      const server = await chat.server(club, 'login')
      const write = (name: string, asOf: Date | 'now') =>
        db.transaction((tx) =>
          writeServer(tx, { ...server, roles: server.roles.map((role) => ({ ...role, name })) }, asOf),
        )
      await write('newer', 'now')
      await write('older', askedAt)
      const names = await db.query(sql`select distinct name from roles where server_id = ${club}`)
      expect(names).toEqual([{ name: 'newer' }])
    })
  },
)

describe.each(engines)('the profile of a member, on %s', (engine) => {
  const world = worldForTests(engine)

  test('was updated when one of its parts last changed, and not when it was told again', async () => {
    const { db, chat, mirrorMember } = world.service.deps
    const member = await chat.member(club, ada, 'login')
    if (!member) throw new Error('not there')
    const write = async (username: string) => {
      await mirrorMember(club, { ...member.user, username }, member, 'now')
      const row = await db.maybeOne<{ updatedAt: Date }>(
        sql`select updated_at as "updatedAt" from members where id = ${ada}`,
      )
      return row?.updatedAt.getTime() ?? 0
    }
    const first = await write('ada.osei')
    await expect.poll(async () => (await readTime(db)).getTime()).toBeGreaterThan(first + 1)
    expect(await write('ada.osei')).toBe(first)
    expect(await write('ada.of.the.harbour')).toBeGreaterThan(first)
  })
})
