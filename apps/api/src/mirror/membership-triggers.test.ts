import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '#platform/db/database'
import { openDatabase } from '#platform/db/open-database'
import { rehearse } from '#platform/db/rehearse'
import { sql } from '#platform/db/sql'
import { createDatabase, engines, type TestDatabase } from '../../test/databases.ts'

/** Two projects. All members have the role `r`, except those of the server `other`. */
const given = `
  insert into projects (id, name) values
    ('00000000-0000-4000-8000-00000000000a', 'A'), ('00000000-0000-4000-8000-00000000000b', 'B');
  insert into servers (id, name) values ('club', 'Club'), ('other', 'Other'), ('last', 'Last');
  insert into members (id, username) select id, id from unnest(array['ada', 'ben', 'eve', 'gone', 'joy', 'kit']) id;
  insert into memberships (server_id, member_id, role_ids, left_at)
    select 'club', id, '{r}', case when id = 'gone' then clock_now() end from members;
  insert into memberships (server_id, member_id) values ('other', 'ada'), ('other', 'ben'), ('last', 'ben');
  insert into sessions (id, project_id, member_id, server_id, membership_generation, token_digest, refresh_digest,
    expires_at, max_expires_at, revoked_at)
  select gen_random_uuid(), project::uuid, member, 'club', 0, 't' || n, 'r' || n, clock_now() + ends::interval,
    clock_now() + interval '1 day', case when is_revoked then clock_now() end
  from (values
    (1, 'ada', '00000000-0000-4000-8000-00000000000a', '1 hour', false),
    (2, 'ada', '00000000-0000-4000-8000-00000000000a', '1 hour', false),
    (3, 'ada', '00000000-0000-4000-8000-00000000000b', '1 hour', false),
    (4, 'ben', '00000000-0000-4000-8000-00000000000a', '1 hour', false),
    (5, 'ben', '00000000-0000-4000-8000-00000000000b', '1 hour', true),
    (6, 'gone', '00000000-0000-4000-8000-00000000000a', '1 hour', false),
    (7, 'joy', '00000000-0000-4000-8000-00000000000a', '-1 second', false),
    (8, 'kit', null, '1 hour', false)) as x (n, member, project, ends, is_revoked)`

const upsert = (values: string, update: string) => `
  insert into memberships as m (server_id, member_id, role_ids) values ${values}
  on conflict (server_id, member_id) do update set ${update}`

interface Case {
  readonly name: string
  readonly statements: readonly string[]
  /** The members in the change log, sorted. */
  readonly noted: readonly string[]
  /** The type, member, and project of each event, sorted. */
  readonly events?: readonly string[]
}

const cases: readonly Case[] = [
  {
    name: 'a confirmation, and equal roles',
    statements: [
      `update memberships set synced_at = clock_now() + interval '1 hour', role_ids = role_ids || '{}'::text[],
         pending = not pending`,
    ],
    noted: [],
  },
  {
    name: 'another join date',
    statements: [`update memberships set joined_at = clock_now() where member_id = 'ada'`],
    noted: ['club/ada', 'other/ada'],
  },
  {
    name: 'no row at all',
    statements: [
      `update memberships set role_ids = '{}' where false`,
      upsert(`('club', 'ada', '{}')`, `role_ids = '{}' where m.nick = 'none'`),
    ],
    noted: [],
  },
  {
    name: 'another nickname',
    statements: [`update memberships set nick = 'A' where member_id = 'ada'`],
    noted: ['club/ada', 'other/ada'],
  },
  {
    name: 'another generation alone',
    statements: [`update memberships set generation = 1 where server_id = 'other'`],
    noted: ['other/ada', 'other/ben'],
  },
  {
    name: 'a role that is taken from members, once for each project with a live session',
    statements: [`update memberships set role_ids = array_remove(role_ids, 'r') where server_id = 'club'`],
    noted: ['club/ada', 'club/ben', 'club/eve', 'club/gone', 'club/joy', 'club/kit'],
    events: ['member.roles_changed ada A', 'member.roles_changed ada B', 'member.roles_changed ben A'],
  },
  {
    name: 'departures, a return, other roles, and a confirmation in one statement',
    statements: [
      `update memberships set left_at = case when member_id in ('ada', 'eve') then clock_now() end,
         role_ids = case when member_id in ('ada', 'ben', 'gone') then '{s}' else role_ids end
       where server_id = 'club'`,
    ],
    noted: ['club/ada', 'club/ben', 'club/eve', 'club/gone'],
    events: ['member.left ada A', 'member.left ada B', 'member.roles_changed ben A'],
  },
  {
    name: 'an upsert that adds, changes, and confirms',
    statements: [
      upsert(
        `('last', 'ada', '{}'), ('club', 'ada', '{r}'), ('club', 'ben', '{s}')`,
        'role_ids = excluded.role_ids',
      ),
    ],
    noted: ['club/ben'],
    events: ['member.roles_changed ben A'],
  },
  {
    name: 'a change that the next statement of the transaction takes back',
    statements: [
      `update memberships set role_ids = '{s}' where server_id = 'club' and member_id = 'ben'`,
      `update memberships set role_ids = '{r}' where server_id = 'club' and member_id = 'ben'`,
    ],
    noted: ['club/ben', 'club/ben'],
    events: ['member.roles_changed ben A', 'member.roles_changed ben A'],
  },
  {
    name: 'servers that are deleted',
    statements: [`delete from servers where id in ('other', 'last')`],
    noted: ['last/ben', 'other/ada', 'other/ben'],
  },
  {
    name: 'a bulk load without triggers',
    statements: [
      'set local session_replication_role = replica',
      `update memberships set role_ids = '{}', nick = 'N', left_at = clock_now()`,
      `delete from memberships where server_id = 'last'`,
    ],
    noted: [],
  },
]

describe.each(engines)('the change log and events of memberships, on %s', (engine) => {
  let made: TestDatabase
  let db: Database
  beforeAll(async () => {
    made = await createDatabase(engine)
    db = await openDatabase(made.url)
    await db.script(given)
  })
  afterAll(async () => {
    await db.close()
    await made.drop()
  })

  test.each(cases)('contain exactly what changed: $name', ({ statements, noted, events = [] }) =>
    rehearse(db, (rehearsal) =>
      rehearsal.transaction(async (tx) => {
        for (const text of statements) await tx.execute({ text, values: [] })
        const log = await tx.query<{ fact: string }>(sql`
          select fact from session_changes where xid = pg_current_xact_id() and kind = 'membership' order by fact`)
        expect(log.map(({ fact }) => fact)).toEqual(noted)
        const told = await tx.query<{ event: string }>(sql`
          select o.type || ' ' || (o.data ->> 'memberId') || ' ' || p.name as event
          from outbox o join projects p on p.id = o.project_id
          where o.xid = pg_current_xact_id() and o.data ->> 'serverId' = 'club' order by event`)
        expect(told.map(({ event }) => event)).toEqual(events)
      }),
    ),
  )
})
