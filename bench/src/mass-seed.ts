import type { Deps } from '@rolecall/api/deps'
import { sql } from '@rolecall/api/platform/db/sql'
import { addMembers, copySessions, type Pair, settle } from './copies.ts'
import { roleIds, seedSessions, serverId } from './seed.ts'

/** The server of the other changes, and the server with members that the service does not know yet. */
export const otherServerId = '1100089314336833999'
export const unreadServerId = '1100089314336833888'
export const deletedRoleId = '1100093797636898999'

/** The sizes of a mass change. */
export interface MassSizes {
  readonly members: number
  readonly holders: number
  readonly leavers: number
  /** The number of members of the server that is read for the first time. */
  readonly read: number
}

/** A group of members, each with a session. */
interface Group {
  readonly ids: readonly string[]
  readonly sessions: readonly Pair[]
}

/** Everything that a measurement of mass changes needs. */
export interface MassSupply {
  readonly apiKey: string
  readonly holders: Group
  readonly leavers: Group
  /** The sessions that the refreshes use up. */
  readonly toRefresh: Pair[]
  readonly toEnd: Pair[]
}

/** The number of sessions that refreshes and logouts use up. */
const supply = 30_000

/** Creates the members and sessions for the measurement of mass changes. */
export async function seedMass(deps: Deps, sizes: MassSizes): Promise<MassSupply> {
  const { db } = deps
  const { apiKey, tokens } = await seedSessions(deps, 1)
  const [token = ''] = tokens
  const ids = await addMembers(db, serverId, roleIds, sizes.members)
  for (const id of [otherServerId, unreadServerId])
    await db.execute(sql`insert into servers (id, name) values (${id}, 'Another')`)
  const every = Math.floor(sizes.members / sizes.holders)
  const spread = (offset: number) => ids.filter((_, i) => i % every === offset)
  const group = async (memberIds: readonly string[]): Promise<Group> => ({
    ids: memberIds,
    sessions: await copySessions(db, token, memberIds.length, memberIds),
  })
  const holders = await group(spread(0).slice(0, sizes.holders))
  const leavers = await group(spread(1).slice(0, sizes.leavers))
  const toRefresh = await copySessions(db, token, supply, spread(2))
  const toEnd = await copySessions(db, token, supply, spread(2))
  await giveRole(deps, holders.ids)
  await settle(db)
  return { apiKey, holders, leavers, toRefresh, toEnd }
}

async function giveRole({ db }: Deps, memberIds: readonly string[]) {
  await db.execute(sql`
    insert into roles (server_id, id, name) values (${serverId}, ${deletedRoleId}, 'Deleted')`)
  const give = sql`
    update memberships set role_ids = role_ids || ${deletedRoleId}::text
    where server_id = ${serverId} and member_id = any(${memberIds}::text[])`
  await db.transaction((tx) => tx.execute(give), { long: true })
}
