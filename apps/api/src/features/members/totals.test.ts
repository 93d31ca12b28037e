import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { atOnce } from '../../../test/at-once.ts'
import { engines } from '../../../test/databases.ts'
import { createRandom, type Random } from '../../../test/random.ts'
import { repeats } from '../../../test/repeats.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { noUserFields } from '../../chat/chat-objects.ts'
import { endMemberships } from '../../mirror/end-memberships.ts'
import { eraseFromMirror, lockMember } from '../../mirror/erase-store.ts'
import { foldTotals } from '../../mirror/totals-store.ts'
import { listHolders, removeRoleFromMembers, upsertMembers } from '../../mirror/write-members.ts'
import { writeMemberships } from '../../mirror/write-memberships.ts'
import { registerServer, removeUnlessMain, setMainFlag } from '../../mirror/write-servers.ts'
import { sql } from '../../platform/db/sql.ts'
import { listMembers } from './list-members.ts'

const servers = [demo.mainGuildId, demo.gamesGuildId, '300000000000000003', '300000000000000004']
const [club = '', games = '', third = '', fourth = ''] = servers
/** Members hold the last role in any server, which never happens at the platform. */
const roles = ['400000000000000001', '400000000000000002', '400000000000000003', '499999999999999999']
const [, , , everywhere = ''] = roles
const people = Array.from({ length: 10 }, (_, i) => `${700000000000000000n + BigInt(i)}`)

describe.each(engines)('totals of member lists on %s', (engine) => {
  const world = worldForTests(engine)
  beforeAll(async () => {
    await world.service.deps.db.execute(sql`
      insert into servers (id, name) select id, id from unnest(${servers}::text[]) as v (id) on conflict do nothing`)
  })

  const memberships = () =>
    world.service.deps.db.query<{ server: string; member: string; roles: string[]; isMain: boolean }>(sql`
      select m.server_id as server, m.member_id as member, m.role_ids as roles, v.is_main as "isMain"
      from memberships m join servers v on v.id = m.server_id
      where m.left_at is null and v.removed_at is null`)
  const kept = () =>
    world.service.deps.db.query(sql`
      select server_id, other_server_ids, role_id, sum(total)::int as total from member_totals
      group by server_id, other_server_ids, role_id having sum(total) <> 0
      order by server_id, other_server_ids, role_id`)

  /** Expects each total to be the number of members that match the filters by definition. */
  async function expectTrue() {
    const { db } = world.service.deps
    const held = await memberships()
    const lists = [undefined, 'club' as const].flatMap((filter) =>
      [[], [club], [games], [club, games], [games, third], [club, third, fourth], servers].flatMap(
        (serverId) =>
          [[], ...roles.map((role) => [role]), roles.slice(0, 2)].map((roleId) => ({
            filter,
            serverId,
            roleId,
          })),
      ),
    )
    const membersWho = (fits: (one: (typeof held)[number]) => boolean) =>
      new Set(held.filter(fits).map(({ member }) => member))
    const found = []
    const expected = []
    for (const { filter, serverId, roleId } of lists) {
      const isClub = membersWho(({ isMain }) => isMain)
      const isThere = membersWho(({ server }) => serverId.includes(server))
      const hasRole = membersWho((one) => one.roles.some((id) => roleId.includes(id)))
      const total = [...membersWho(() => true)].filter(
        (id) =>
          (filter === undefined || isClub.has(id)) &&
          (serverId.length === 0 || isThere.has(id)) &&
          (roleId.length === 0 || hasRole.has(id)),
      ).length
      const list = `${filter} ${serverId} ${roleId}`
      expected.push({ list, total, listed: total })
      const page = await listMembers({ db }, { ...(filter && { filter }), serverId, roleId, limit: 100 })
      found.push({ list, total: page.total, listed: page.data.length })
    }
    expect(found).toEqual(expected)
  }

  const written = (random: Random) => {
    const serverId = random.one(servers) ?? club
    const role = { [club]: roles[0], [games]: roles[1], [third]: roles[2] }[serverId]
    const roleIds = [
      ...(role && random.chance(0.6) ? [role] : []),
      ...(random.chance(0.05) ? [everywhere] : []),
    ]
    const id = random.one(people) ?? ''
    const user = {
      id,
      username: `p${id.slice(-2)}${random.below(3)}`,
      ...noUserFields,
      isBot: false,
    }
    return { serverId, member: { user, nick: null, roleIds, joinedAt: null, pending: false } }
  }
  /** One change that affects a list; some change many members at once, as a sync does. */
  const change = (random: Random) => {
    const { db, endSessions, mirrorMember } = world.service.deps
    const one = written(random)
    const { serverId } = one
    const { user } = one.member
    return random.weighted<() => Promise<unknown>>([
      [8, () => mirrorMember(serverId, user, one.member, 'now')],
      [5, () => mirrorMember(serverId, { id: user.id }, undefined, 'now')],
      [
        4,
        () => {
          const rows = [
            ...new Map(
              Array.from({ length: 6 }, () => written(random)).map((row) => [
                `${row.serverId}/${row.member.user.id}`,
                row,
              ]),
            ).values(),
          ]
          return db.transaction(async (tx) => {
            const known = new Map(
              rows.map((row) => [row.member.user.id, { user: row.member.user, serverId: row.serverId }]),
            )
            await upsertMembers(tx, [...known.values()], 'now')
            await writeMemberships(tx, { endSessions }, rows, 'now')
          })
        },
      ],
      [
        2,
        () =>
          db.transaction((tx) =>
            endMemberships(
              tx,
              { endSessions },
              servers.map((id) => ({ serverId: id, memberId: user.id })),
              'now',
            ),
          ),
      ],
      [
        1,
        () => {
          // Drawn before the transaction begins: the order of later draws must not depend on its time.
          const roleId = random.one(roles) ?? ''
          return db.transaction(async (tx) => {
            const memberIds = await listHolders(tx, { serverId, roleId, after: '', limit: 3 })
            await removeRoleFromMembers(tx, { serverId, roleId, memberIds })
          })
        },
      ],
      [
        1,
        () =>
          db.transaction(async (tx) => {
            if (await lockMember(tx, user.id)) await eraseFromMirror(tx, user.id)
          }),
      ],
      [
        1,
        () =>
          db.transaction(async (tx) => {
            if (!(await removeUnlessMain(tx, serverId)))
              await registerServer(tx, { id: serverId, name: serverId, icon: null, isMain: false })
          }),
      ],
      // As a version without totals does.
      [
        1,
        () =>
          db.transaction(async (tx) => {
            await upsertMembers(tx, [{ user }], 'now')
            await tx.execute(sql`
              insert into memberships (server_id, member_id, role_ids)
              values (${serverId}, ${user.id}, array[${everywhere}])
              on conflict (server_id, member_id) do update set left_at = null, role_ids = excluded.role_ids`)
          }),
      ],
      [2, () => foldTotals(db, 3)],
    ])
  }

  test.each([1, 2, 3])(
    'are the counts of members after concurrent joins, departures, changes of roles, and erasures (seed %i)',
    async (seed) => {
      const random = createRandom(seed)
      const { db } = world.service.deps
      for (let round = 0; round < repeats(8); round++) {
        const changes = Array.from({ length: 8 }, () => change(random))
        if (engine === 'postgres') await atOnce(changes.length, (i) => changes[i]?.() ?? Promise.resolve())
        else for (const run of changes) await run()
        await db.transaction(async (tx) => {
          const next = random.one([club, games]) ?? club
          const isGood = await tx.maybeOne(sql`select from servers where id = ${next} and removed_at is null`)
          if (!isGood) return
          for (const id of servers) await setMainFlag(tx, id, false)
          await setMainFlag(tx, next, true)
        })
        await expectTrue()
      }
      const before = await kept()
      while ((await foldTotals(db, 5)) > 0) {
        // Until each total is a single sum.
      }
      expect(await kept()).toEqual(before)
      await db.execute(sql`select count_member_totals()`)
      expect(await kept()).toEqual(before)
    },
  )
})
