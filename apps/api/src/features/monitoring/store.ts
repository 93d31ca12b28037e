import { uuidv7 } from '#platform/crypto/uuid'
import type { Queryable, Tx } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'
import { durationBuckets } from '#platform/metrics/request-metrics'

/** The project ID of requests without a project. The column is part of the primary key, so it cannot be null. */
export const noProject = '00000000-0000-0000-0000-000000000000'

/** The number of requests of a project to a route with a status, for one minute. */
export interface UsageCount {
  /** The time of the count, by the monotonic clock of this process, in milliseconds. */
  readonly at: number
  readonly projectId: string
  readonly route: string
  readonly status: number
  readonly count: number
  /** The number of requests in each histogram bucket of the duration. */
  readonly took: readonly number[]
}

/** The indexes of the array `took` in the database, which start at 1. */
const tookCells = Array.from({ length: durationBuckets }, (_, bucket) => bucket + 1)

/** Builds a list with one expression for each cell of `took`. */
export const ofEachCell = (write: (cell: number) => string): Sql => ({
  text: tookCells.map(write).join(', '),
  values: [],
})

/** Returns how long ago something happened, in milliseconds. The database computes the time by its own clock. */
const ageOf = ({ at }: { readonly at: number }) => performance.now() - at

/**
 * Adds counts to their minutes. The rows are written in the order of their keys, because two instances that add to the
 * same rows in different orders would deadlock.
 */
export const addUsage = (db: Queryable, counts: readonly UsageCount[]) =>
  db.execute(sql`
    insert into usage_minutes as u (minute, project_id, route, status, count, took)
    select date_trunc('minute', clock_now() - x.age_ms * interval '1 millisecond'), x.project_id, x.route, x.status,
      sum(x.count), array[${ofEachCell((cell) => `sum((x.took::int[])[${cell}])::int`)}]
    from unnest(${counts.map(ageOf)}::float8[], ${counts.map(({ projectId }) => projectId)}::uuid[],
      ${counts.map(({ route }) => route)}::text[], ${counts.map(({ status }) => status)}::smallint[],
      ${counts.map(({ count }) => count)}::bigint[], ${counts.map(({ took }) => `{${took.join()}}`)}::text[])
      as x (age_ms, project_id, route, status, count, took)
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (minute, project_id, route, status) do update set count = u.count + excluded.count,
      took = array[${ofEachCell((cell) => `coalesce(u.took[${cell}], 0) + excluded.took[${cell}]`)}]`)

/**
 * Adds to the number of uses of API keys, by their digests. Their rows are locked in the order of their IDs. Otherwise,
 * two instances that count the same keys, or one that counts while keys are replaced, could deadlock.
 */
export const touchKeys = (db: Queryable, uses: ReadonlyMap<string, number>) =>
  db.execute(sql`
    update api_keys k set last_used_at = clock_now(), uses = k.uses + u.n
    from (
      select k.id, x.n from unnest(${[...uses.keys()]}::text[], ${[...uses.values()]}::bigint[]) as x (digest, n)
      join api_keys k on k.digest = x.digest order by k.id for no key update of k) u
    where k.id = u.id`)

/** The kind of a rejected credential. */
export type FailureKind = 'api_key' | 'session' | 'refresh' | 'code' | 'signature' | 'admin'

/** A rejected credential, before it is written. */
export interface NewFailure {
  /** The time of the rejection, by the monotonic clock of this process, in milliseconds. */
  readonly at: number
  readonly kind: FailureKind
  /** A word from a fixed list. */
  readonly reason: string
  readonly address: string | null
  /** The path without its query, and with IDs and credentials masked, because both can contain secrets. */
  readonly path: string
  readonly projectId: string | null
  /** The server of a refused sign-in. */
  readonly serverId: string | null
  readonly keyPrefix: string | null
  readonly memberId: string | null
  readonly requestId: string
}

/**
 * Writes failures. If the member of a failure was erased since, the row contains neither the member's ID nor the IP
 * address. The lock on the members makes the statement wait for an erasure in progress.
 */
export const insertAuthFailures = (db: Queryable, failures: readonly NewFailure[]) =>
  db.execute(sql`
    with known as materialized (
      select id, created_at from members where id = any(${[...new Set(failures.flatMap(({ memberId }) => memberId ?? []))]}::text[])
      order by id for key share
    )
    insert into auth_failures (id, at, kind, reason, address, path, project_id, server_id,
      key_prefix, member_id, request_id)
    select x.id, clock_now() - x.age_ms * interval '1 millisecond', x.kind, x.reason,
      case when x.member_id is null or m.id is not null then x.address end, x.path,
      x.project_id, x.server_id, x.key_prefix, m.id, x.request_id
    from unnest(${failures.map(() => uuidv7())}::uuid[], ${failures.map(ageOf)}::float8[],
      ${failures.map(({ kind }) => kind)}::text[], ${failures.map(({ reason }) => reason)}::text[],
      ${failures.map(({ address }) => address)}::text[], ${failures.map(({ path }) => path)}::text[],
      ${failures.map(({ projectId }) => projectId)}::uuid[], ${failures.map(({ serverId }) => serverId)}::text[],
      ${failures.map(({ keyPrefix }) => keyPrefix)}::text[],
      ${failures.map(({ memberId }) => memberId)}::text[], ${failures.map(({ requestId }) => requestId)}::text[])
      as x (id, age_ms, kind, reason, address, path, project_id, server_id, key_prefix, member_id, request_id)
    left join known m on m.id = x.member_id and m.created_at <= clock_now() - x.age_ms * interval '1 millisecond'`)

/** Removes an erased member from the recorded failures. The rows stay, without the member and the IP address. */
export const eraseFailures = (tx: Tx, memberId: string) =>
  tx.execute(sql`update auth_failures set member_id = null, address = null where member_id = ${memberId}`)
