import type { ChatGatewayStatus, EventPosition, SessionBeginnings } from '#chat/chat-gateway'
import type { Database, Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A leader whose last heartbeat is older than this is considered dead or hung. */
const deadAfter = '4 seconds'
/**
 * The same for a leader that has no database connection. If it has only lost the connection, it opens another one
 * within this time.
 */
const disconnectedAfter = '400 milliseconds'
/**
 * The time for which a renewal guarantees that a server's mirror is current. It is longer than any pause of a healthy
 * leader.
 */
const liveDuration = '5 seconds'
/**
 * The longest pause inside a transaction of the leader. A successor has to wait for that transaction, so a leader that
 * hangs must not keep it open.
 */
const maxPauseInBatchMs = '1500'

/** A condition that is true if there is no leader, or if it is dead or hung. */
const isVacant = sql`
  (beat_at is null or beat_at < clock_now() - ${deadAfter}::interval
    or (beat_at < clock_now() - ${disconnectedAfter}::interval and backend_pid is not null and not exists (
      select from pg_stat_activity a where a.pid = live_mirror.backend_pid
        and coalesce(a.backend_start = live_mirror.backend_start, true))))`

/** The lease of a new leader, and what the previous one left to it. */
export interface AcquiredLease {
  readonly epoch: number
  readonly handover: Uint8Array | null
  /** The recorded times at which gateway sessions began. Null if there is no record. */
  readonly beginnings: SessionBeginnings | null
  /** The age of that record in milliseconds. */
  readonly ageMs: number
}

/**
 * Makes this instance the leader if there is no other, and marks all servers as not live. Returns undefined if another
 * instance is the leader. With `isSingleInstance`, no other process can open the database.
 */
export const acquireLease = (tx: Tx, isSingleInstance: boolean) =>
  tx.maybeOne<AcquiredLease>(sql`
    with taken as (
      update live_mirror set epoch = epoch + 1, beat_at = clock_now(),
        gateway_state = 'connecting', gateway_problem = null, gateway_latency_ms = null,
        lag_ms = null, backend_pid = null
      where ${isSingleInstance} or ${isVacant}
      returning epoch, handover, beginnings,
        coalesce(extract(epoch from clock_now() - beginnings_at) * 1000, 0)::float8 as "ageMs"),
    withdrawn as (
      update servers set live_until = null, live_as_of = null from taken where live_until is not null)
    select epoch, handover, beginnings, "ageMs"
    from taken, set_config('idle_in_transaction_session_timeout', ${maxPauseInBatchMs}, true)`)

/** Gives up the lease, so that another instance can become the leader immediately. */
export const releaseLease = (db: Queryable, epoch: number) =>
  db.execute(sql`
    with given_up as (
      update live_mirror set beat_at = clock_now() - ${deadAfter}::interval - interval '1 millisecond',
        gateway_state = 'closed', gateway_problem = null,
        gateway_latency_ms = null, lag_ms = null
      where epoch = ${epoch} returning epoch)
    update servers set live_until = null, live_as_of = null from given_up where live_until is not null`)

/** The content of a renewal of the leader's lease. */
export interface Renewal {
  readonly epoch: number
  /** The state for the next leader. If undefined, the stored state is kept. */
  readonly handover: Uint8Array | undefined
  /** The waiting time of the oldest change that is not written, in milliseconds. */
  readonly lagMs: number
  readonly gateway: Omit<ChatGatewayStatus, 'state'> & { readonly state: string }
  /** The time of the last event, or null before the first one. */
  readonly eventAt: Date | null
  /** The live servers: for each, its mirror contains every change up to this time, by the database's clock. */
  readonly liveAsOf: ReadonlyMap<string, Date>
}

interface Renewed {
  readonly registered: readonly string[]
  readonly lastEventAt: Date | null
}

/**
 * Renews the lease, makes exactly the servers of `liveAsOf` live, and returns the registered servers. Returns undefined
 * if this instance is no longer the leader.
 */
export async function renewLease(
  db: Queryable,
  { epoch, handover, lagMs, gateway, eventAt, liveAsOf }: Renewal,
): Promise<Renewed | undefined> {
  return db.maybeOne<Renewed>(sql`
    with mine as (
      update live_mirror set beat_at = clock_now(), gateway_state = ${gateway.state},
        gateway_problem = ${gateway.problem}, gateway_latency_ms = ${gateway.latencyMs},
        gateway_shards = ${gateway.shards},
        gateway_sessions_left = ${gateway.sessionsLeft}, lag_ms = ${lagMs},
        handover = coalesce(${handover ?? null}::bytea, handover),
        backend_pid = pg_backend_pid(),
        backend_start = (select a.backend_start from pg_stat_activity a where a.pid = pg_backend_pid()),
        last_event_at = coalesce(${eventAt}::timestamptz, last_event_at)
      where epoch = ${epoch} returning epoch, last_event_at),
    vouched as (
      select * from unnest(${[...liveAsOf.keys()]}::text[],
        ${[...liveAsOf.values()].map((asOf) => asOf.toISOString())}::timestamptz[]) as x (id, as_of)),
    extended as (
      update servers v set
        live_until = case when x.id is null then null else clock_now() + ${liveDuration}::interval end,
        live_as_of = x.as_of
      from mine, servers w left join vouched x on x.id = w.id
      where v.id = w.id and (v.live_until is not null or x.id is not null)),
    noted as (
      insert into gateway_servers as g (server_id, unvouched_since)
      select v.id, case when x.id is null then clock_now() end
      from mine, servers v left join vouched x on x.id = v.id left join gateway_servers old on old.server_id = v.id
      where v.removed_at is null
        and (old.server_id is null or (old.unvouched_since is null) <> (x.id is not null))
      on conflict (server_id) do update set unvouched_since = excluded.unvouched_since)
    select array(select id::text from servers where removed_at is null order by id) as registered,
      last_event_at as "lastEventAt"
    from mine`)
}

/** The state of the leader at its last heartbeat. */
export interface LeaderState {
  readonly isVacant: boolean
  readonly hasLeader: boolean
  readonly state: ChatGatewayStatus['state']
  readonly problem: string | null
  readonly shards: number
  readonly latencyMs: number | null
  readonly sessionsLeft: number | null
  readonly lagMs: number | null
  readonly lastEventAt: Date | null
}

/** Returns the state that the leader has last reported. Every instance can read it. */
export const findLeaderState = (db: Queryable) =>
  db.maybeOne<LeaderState>(sql`
    select ${isVacant} as "isVacant",
      coalesce(beat_at >= clock_now() - ${deadAfter}::interval, false) as "hasLeader",
      gateway_state as state, gateway_problem as problem, gateway_shards as shards,
      gateway_latency_ms as "latencyMs", gateway_sessions_left as "sessionsLeft", lag_ms as "lagMs",
      last_event_at as "lastEventAt"
    from live_mirror`)

/**
 * Records when gateway sessions were begun, before the next one is requested.
 *
 * @throws LeadershipLost
 */
export const recordBeginnings = async (db: Queryable, epoch: number, beginnings: SessionBeginnings) => {
  const written = await db.execute(sql`
    update live_mirror set beginnings = ${JSON.stringify(beginnings)}::jsonb, beginnings_at = clock_now()
    where epoch = ${epoch}`)
  if (written === 0) throw new LeadershipLost()
}

/** Records the last event of each server that was written, in the same transaction. */
export const recordLastWritten = (tx: Tx, last: ReadonlyMap<string, EventPosition>) =>
  tx.execute(sql`
    insert into gateway_servers as g (server_id, session, sequence)
    select x.server_id, x.session, x.sequence
    from unnest(${[...last.keys()]}::text[], ${[...last.values()].map(({ session }) => session)}::text[],
      ${[...last.values()].map(({ sequence }) => sequence)}::bigint[]) as x (server_id, session, sequence)
    join servers v on v.id = x.server_id
    order by x.server_id
    on conflict (server_id) do update set session = excluded.session, sequence = excluded.sequence`)

/** Returns the last event of each server that was written, as earlier leaders have recorded it. */
export const listLastWritten = async (db: Queryable): Promise<ReadonlyMap<string, EventPosition>> => {
  const rows = await db.query<EventPosition & { serverId: string }>(sql`
    select server_id as "serverId", session, sequence from gateway_servers
    where sequence is not null`)
  return new Map(rows.map(({ serverId, session, sequence }) => [serverId, { session, sequence }]))
}

/** Records whether the bot was removed from a server. */
export const setLost = (tx: Tx, serverId: string, isLost: boolean) =>
  tx.execute(sql`
    insert into gateway_servers as g (server_id, is_lost) select id, ${isLost} from servers where id = ${serverId}
    on conflict (server_id) do update set is_lost = excluded.is_lost where g.is_lost <> excluded.is_lost`)

/** Thrown if another instance has become the leader. Nothing was written. */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost'
}

/**
 * Runs `work` in a transaction that fails if this epoch is over. A new leader waits for the end of the transaction.
 *
 * @throws LeadershipLost
 */
export const runAsLeader = <T>(db: Database, epoch: number, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    const lease = await tx.maybeOne(sql`
      select set_config('idle_in_transaction_session_timeout', ${maxPauseInBatchMs}, true)
      from live_mirror where epoch = ${epoch} for key share`)
    if (!lease) throw new LeadershipLost()
    return work(tx)
  })
