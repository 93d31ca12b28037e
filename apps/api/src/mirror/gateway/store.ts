import type { ChatGatewayStatus } from '#chat/chat-gateway'
import type { Database, Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A leader that has not moved for so long has lost its process, or its process has lost its way. */
const deadAfter = '4 seconds'
/** For how long a server is vouched for from one beat to the next. Longer than any pause of a healthy leader. */
const vouchedFor = '5 seconds'
/** A hung leader must not keep its successor waiting with a batch that it has begun. */
const longestPauseInBatchMs = '1500'

/**
 * Makes this instance the leader when there is none, and withdraws what the last one vouched for. Undefined
 * while another one leads. `isAlone`: no other process can have this database.
 */
export const takeLead = async (db: Queryable, holder: string, isAlone: boolean) =>
  (
    await db.maybeOne<{ epoch: number }>(sql`
    with taken as (
      update live_mirror set epoch = epoch + 1, holder = ${holder}, beat_at = clock_now(),
        gateway_state = 'connecting', gateway_problem = null, gateway_latency_ms = null
      where beat_at is null or beat_at < clock_now() - ${deadAfter}::interval or ${isAlone}
      returning epoch),
    withdrawn as (
      update servers set live_until = null, live_as_of = null from taken where live_until is not null)
    select epoch from taken`)
  )?.epoch

/** Lets the next instance lead at once. */
export const giveUpLead = (db: Queryable, epoch: number) =>
  db.execute(sql`
    with given_up as (
      update live_mirror set beat_at = null, holder = null, gateway_state = 'closed', gateway_problem = null,
        gateway_latency_ms = null
      where epoch = ${epoch} returning epoch)
    update servers set live_until = null, live_as_of = null from given_up where live_until is not null`)

export interface Beat {
  readonly epoch: number
  readonly gateway: Omit<ChatGatewayStatus, 'state'> & { readonly state: string }
  /** When the last event came; null when none has. */
  readonly eventAt: Date | null
  /** Servers whose mirror holds everything that had happened by a time, all by the database's clock. */
  readonly vouched: ReadonlyMap<string, Date>
}

interface Beaten {
  readonly registered: readonly string[]
  readonly lastEventAt: Date | null
}

/**
 * Says that the leader goes on, vouches for these servers and for no others, and answers which servers are
 * registered; undefined when it leads no more.
 */
export async function beat(
  db: Queryable,
  { epoch, gateway, eventAt, vouched }: Beat,
): Promise<Beaten | undefined> {
  return db.maybeOne<Beaten>(sql`
    with mine as (
      update live_mirror set beat_at = clock_now(), gateway_state = ${gateway.state},
        gateway_problem = ${gateway.problem}, gateway_latency_ms = ${gateway.latencyMs},
        gateway_shards = ${gateway.shards},
        last_event_at = coalesce(${eventAt}::timestamptz, last_event_at)
      where epoch = ${epoch} returning epoch, last_event_at),
    vouched as (
      select * from unnest(${[...vouched.keys()]}::text[],
        ${[...vouched.values()].map((asOf) => asOf.toISOString())}::timestamptz[]) as x (id, as_of)),
    extended as (
      update servers v set
        live_until = case when x.id is null then null else clock_now() + ${vouchedFor}::interval end,
        live_as_of = x.as_of
      from mine, servers w left join vouched x on x.id = w.id
      where v.id = w.id and (v.live_until is not null or x.id is not null))
    select array(select id::text from servers where removed_at is null order by id) as registered,
      last_event_at as "lastEventAt"
    from mine`)
}

export interface LeaderState {
  readonly hasLeader: boolean
  readonly state: string
  readonly problem: string | null
  readonly shards: number
  readonly latencyMs: number | null
  readonly lastEventAt: Date | null
}

/** What the leader last said of itself, for everyone. */
export const leaderState = (db: Queryable) =>
  db.maybeOne<LeaderState>(sql`
    select coalesce(beat_at >= clock_now() - ${deadAfter}::interval, false) as "hasLeader",
      gateway_state as state, gateway_problem as problem, gateway_shards as shards,
      gateway_latency_ms as "latencyMs", last_event_at as "lastEventAt"
    from live_mirror`)

/** This instance leads no more: another one has taken over. Nothing was written. */
export class LeadLost extends Error {
  override readonly name = 'LeadLost'
}

/** Runs a change as the leader of this epoch, or not at all. A successor waits until it is done. */
export const asLeader = <T>(db: Database, epoch: number, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    const mine = await tx.maybeOne(sql`
      select set_config('idle_in_transaction_session_timeout', ${longestPauseInBatchMs}, true)
      from live_mirror where epoch = ${epoch} for key share`)
    if (!mine) throw new LeadLost()
    return work(tx)
  })
