import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database, Tx } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import { engines } from '../../test/databases.ts'
import { openStage, type Stage } from '../../test/stored/field.ts'
import { columnsUnwatched, dropConstraints } from '../../test/watched-columns.ts'
import { listChanged } from '../features/project-reads/store.ts'
import { readFacts } from './facts-store.ts'
import { hostRulesReader } from './host-rules-store.ts'
import { scopesReader } from './scopes-store.ts'

/** Columns that an instance caches and of which the change log tells nothing, and why. */
const knownInMemory: Readonly<Record<string, string>> = {
  'api_keys.prefix': 'the view of working keys has it for administrators; no fact contains it',
  'forward_auth_hosts.project_id': 'written with the row of forward_auth, in one transaction',
  'memberships.synced_at': 'a confirmation changes nothing; the age of the cached roles counts from the read',
  'oidc_clients.enabled_since': 'a trigger sets it with `enabled`; disabling ended the sessions before it',
  'projects.active_since': 'a trigger sets it with `deactivated_at`, which is watched',
  'projects.internal_since': 'a trigger sets it with `is_internal`, which is watched',
  'servers.live_as_of': 'comes with each read of the change log',
  'servers.live_until': 'comes with each read of the change log',
  'servers.main_since': 'a trigger sets it with `is_main`, which is watched',
}

/** Columns that a page of the change feed reads and that do not put a member into it, and why. */
const knownInFeed: Readonly<Record<string, string>> = { 'memberships.changed_xid': 'the mark itself' }

const inMemory = 'select from session_changes where xid = pg_current_xact_id()'
const inFeed = `
  select from (select changed_xid as xid from memberships union all select xid from role_changes) marked
  where xid = pg_current_xact_id()`

/** Returns the statement that a store sends; what comes back is not looked at. */
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

describe.each(engines)('every column that is cached, on %s', (engine) => {
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
    ]
    fed = [
      await statementOf(
        (fake) => listChanged(fake, '', { seen, until: seen, after: { xid: '0', memberId: '' }, limit: 1 }),
        db,
      ),
    ]
  })
  afterAll(() => stage.world.close())

  /** Works on a copy of everything that is thrown away. */
  const inVain = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
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

  test('is watched by a trigger, or has a reason', async () => {
    const { read, unwatched } = await inVain((tx) => columnsUnwatched(tx, cached, inMemory))
    expect(read).toContain('members.avatar')
    expect(read).toContain('forward_auth.any_of')
    expect(unwatched.toSorted()).toEqual(Object.keys(knownInMemory))
  })

  test('and so is every column of the change feed', async () => {
    const { read, unwatched } = await inVain((tx) => columnsUnwatched(tx, fed, inFeed))
    expect(read).toContain('memberships.nick')
    expect(unwatched).toEqual(Object.keys(knownInFeed))
  })

  test('a planted trigger that forgets a column is found', async () => {
    const { unwatched } = await inVain(async (tx) => {
      await tx.execute(sql`drop trigger members_changed on members`)
      await tx.execute(sql`
        create trigger members_changed after update on members for each row
        when (old.username is distinct from new.username) execute function note_member_change()`)
      return columnsUnwatched(tx, cached, inMemory)
    })
    expect(unwatched).toContain('members.avatar')
    expect(unwatched).not.toContain('members.username')
  })

  test('a new column of a member is watched without a change of a trigger', async () => {
    const planted = [sql`select u.planted from members u`]
    const found = await inVain(async (tx) => {
      await tx.execute(sql`alter table members add column planted text`)
      return [await columnsUnwatched(tx, planted, inMemory), await columnsUnwatched(tx, planted, inFeed)]
    })
    for (const { read, unwatched } of found) {
      expect(read).toEqual(['members.planted'])
      expect(unwatched).toEqual([])
    }
  })
})
