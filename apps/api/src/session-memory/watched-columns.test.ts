import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database, Tx } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import { engines } from '../../test/databases.ts'
import { openStage, type Stage } from '../../test/stored/field.ts'
import { columnsUnwatched, dropConstraints } from '../../test/watched-columns.ts'
import { listChanged } from '../features/project-reads/store.ts'
import { accessTokensReader } from './access-tokens-store.ts'
import { readFacts } from './facts-store.ts'
import { hostRulesReader } from './host-rules-store.ts'
import { scopesReader } from './scopes-store.ts'
import { readServerMembers } from './server-members-store.ts'

/** Cached columns that the change log does not watch, with the reason. */
const knownInMemory: Readonly<Record<string, string>> = {
  'api_keys.prefix': 'part of the view working_keys for administrators; no cached fact contains it',
  'forward_auth_hosts.project_id': 'written in the same transaction as the row of forward_auth',
  'memberships.synced_at': 'a confirmation changes no roles; their age in the cache counts from the read',
  'oidc_clients.enabled_since': 'a trigger sets it with `enabled`; disabling ended the sessions before it',
  'oidc_sessions.client_id': 'written once, with its session, and deleted with it',
  'oidc_sessions.project_id': 'written once, with its session, and deleted with it',
  'oidc_sessions.scope': 'written once, with its session, and deleted with it',
  'projects.active_since': 'a trigger sets it with `deactivated_at`, which is watched',
  'projects.internal_since': 'a trigger sets it with `is_internal`, which is watched',
  'servers.live_as_of': 'comes with each read of the change log',
  'servers.live_until': 'comes with each read of the change log',
  'servers.main_since': 'a trigger sets it with `is_main`, which is watched',
}

/** Columns of the change feed that add no member to it when they change, with the reason. */
const knownInFeed: Readonly<Record<string, string>> = { 'memberships.changed_xid': 'the mark itself' }

const inMemory = 'select from session_changes where xid = pg_current_xact_id()'
const inFeed = `
  select from (select changed_xid as xid from memberships union all select xid from role_changes) marked
  where xid = pg_current_xact_id()`

/** Returns the statement that a store sends, and ignores its result. */
async function statementOf(send: (db: Database) => Promise<unknown>, db: Database): Promise<Sql> {
  const sent: Sql[] = []
  const note = async (statement: Sql) => {
    sent.push(statement)
    return []
  }
  await send({ ...db, batched: note, query: note }).catch(() => {})
  const [statement] = sent
  if (!statement) throw new Error('The store sent no statement.')
  return statement
}

describe.each(engines)('columns that are cached or in the change feed, on %s', (engine) => {
  let stage: Stage
  let cached: readonly Sql[]
  let fed: readonly Sql[]
  beforeAll(async () => {
    stage = await openStage(engine)
    const { db } = stage.world.service.deps
    await db.execute(
      sql`insert into member_blocks (member_id) select ${demo.users.tomas} on conflict do nothing`,
    )
    const seen = { end: 0n, running: [] }
    cached = [
      await statementOf((fake) => readFacts(fake, [], [], undefined), db),
      await statementOf((fake) => scopesReader(fake)({ projectId: '', serverId: '' }), db),
      await statementOf((fake) => hostRulesReader(fake, undefined)(''), db),
      await statementOf((fake) => accessTokensReader(fake, undefined)(''), db),
      await statementOf((fake) => readServerMembers(fake.batched, []), db),
    ]
    fed = [
      await statementOf(
        (fake) => listChanged(fake, '', { seen, until: seen, after: { xid: '0', memberId: '' }, limit: 1 }),
        db,
      ),
    ]
  })
  afterAll(() => stage.world.close())

  /** Runs the work in a transaction that is rolled back. */
  const rolledBack = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    const undone = new Error('undone')
    let result: { readonly value: T } | undefined
    await stage.world.service.deps.db
      .transaction(async (tx) => {
        await dropConstraints(tx)
        result = { value: await work(tx) }
        throw undone
      })
      .catch((error: unknown) => {
        if (error !== undone) throw error
      })
    if (!result) throw new Error('The transaction returned nothing.')
    return result.value
  }

  test('each cached column is watched by a trigger, or listed with a reason', async () => {
    const { read, unwatched } = await rolledBack((tx) => columnsUnwatched(tx, cached, inMemory))
    expect(read).toContain('members.avatar')
    expect(read).toContain('forward_auth.any_of')
    expect(read).toContain('oidc_records.payload')
    expect(unwatched.toSorted()).toEqual(Object.keys(knownInMemory))
  })

  test('each column of the change feed is watched by a trigger, or listed with a reason', async () => {
    const { read, unwatched } = await rolledBack((tx) => columnsUnwatched(tx, fed, inFeed))
    expect(read).toContain('memberships.nick')
    expect(unwatched).toEqual(Object.keys(knownInFeed))
  })

  test('a planted trigger that omits a column is reported', async () => {
    const { unwatched } = await rolledBack(async (tx) => {
      await tx.execute(sql`drop trigger members_changed on members`)
      await tx.execute(sql`
        create trigger members_changed after update on members for each row
        when (old.username is distinct from new.username) execute function note_member_change()`)
      return columnsUnwatched(tx, cached, inMemory)
    })
    expect(unwatched).toContain('members.avatar')
    expect(unwatched).not.toContain('members.username')
  })

  test('a new column of members is watched without a change of triggers', async () => {
    const planted = [sql`select u.planted from members u`]
    const found = await rolledBack(async (tx) => {
      await tx.execute(sql`alter table members add column planted text`)
      return [await columnsUnwatched(tx, planted, inMemory), await columnsUnwatched(tx, planted, inFeed)]
    })
    for (const { read, unwatched } of found) {
      expect(read).toEqual(['members.planted'])
      expect(unwatched).toEqual([])
    }
  })
})
